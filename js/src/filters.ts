import { Bytes, full, must, word } from "./bytes.js";
import { additive, type Family, type Header, saturated } from "./header.js";
import { golden, hash, type Hash, mix, scaled, series } from "./hash.js";
import { type Key, keyBytes } from "./key.js";

export interface KeyInfo {
  family: Family;
  /** Undefined where it is not known. */
  total: bigint | undefined;
  /** The class of the keys (docs/FORMAT.md); 0 before the first. */
  keyClass: bigint;
  seed: bigint;
  additive: boolean;
  saturated: boolean;
  bytes: number;
}

/** What the sketches of keys have in common. */
abstract class KeySketch {
  abstract readonly family: Family;

  constructor(
    protected readonly h: Header,
    private readonly bytes: number,
    flags: number,
  ) {
    must((h.flags & 31 & ~flags & ~2) === 0 && h.levels === 0, `flags ${h.flags} in this family`);
  }

  info(): KeyInfo {
    const { h } = this;
    return {
      family: this.family,
      total: h.total,
      keyClass: h.keyClass,
      seed: h.seed,
      additive: (h.flags & additive) !== 0,
      saturated: (h.flags & saturated) !== 0,
      bytes: this.bytes,
    };
  }

  protected hash(key: Key): Hash {
    return hash(this.h.seed, keyBytes(key, this.h.keyClass));
  }
}

/** How often each key was seen: never below the truth. */
export class CountMinSketch extends KeySketch {
  readonly family = "cms";
  private readonly width: number;
  private readonly depth: number;
  private readonly size: number;

  constructor(h: Header, bytes: number) {
    super(h, bytes, additive | saturated);
    const r = new Bytes(h.params, "parameters");
    this.width = r.number(2 ** 27);
    this.depth = r.number(32);
    r.done();
    const counters = this.width * this.depth;
    must(counters > 0 && counters <= 2 ** 27, `${this.depth} rows of ${this.width} counters`);
    this.size = h.body.length / counters;
    must([1, 2, 4, 8].includes(this.size), `a body of ${h.body.length} bytes for ${counters} counters`);
    this.check();
  }

  private check(): void {
    const { h, width, depth } = this;
    let largest = 0n;
    let all = 0n;
    for (let row = 0; row < depth; row++) {
      let sum = 0n;
      for (let j = 0; j < width; j++) {
        const c = this.at(row * width + j);
        sum += c;
        if (c > largest) largest = c;
      }
      all += sum;
      if (h.total === undefined || h.flags & saturated) continue;
      must(sum === h.total || (!(h.flags & additive) && sum < h.total), "a row that does not add up to the total");
    }
    must(this.size === 1 || largest >= 1n << BigInt(4 * this.size), "counters that are larger than they need be");
    must((largest === full) === ((h.flags & saturated) !== 0), "the flag for saturated counters");
    must(h.total === undefined || (h.flags & saturated) !== 0 || all >= h.total, "counters that do not add up to the total");
  }

  private at(i: number): bigint {
    let c = 0n;
    for (let at = (i + 1) * this.size - 1; at >= i * this.size; at--) c = (c << 8n) | BigInt(this.h.body[at]!);
    return c;
  }

  count(key: Key): bigint {
    const [h1, h2] = this.hash(key);
    let least = full;
    let h = h1;
    for (let row = 0; row < this.depth; row++) {
      h = (h + h2) & full;
      const c = this.at(row * this.width + Number(scaled(h, BigInt(this.width))));
      if (c < least) least = c;
    }
    return least;
  }
}

const standard = 0;
const rational = 1;
const blocks = 2;
/** Shares of a key are multiples of 2^-56. */
const unit = 2 ** 56;

/** Which keys are there: no key is missed. */
export class BloomFilter extends KeySketch {
  readonly family = "bloom";
  private readonly variant: number;
  private readonly byPosition: boolean;
  /** Bits when it was made, and those that are left. */
  private readonly size: number;
  private readonly kept: number;
  private readonly k: number;

  constructor(h: Header, bytes: number) {
    super(h, bytes, 0);
    const r = new Bytes(h.params, "parameters");
    const kind = r.byte();
    this.variant = kind & 3;
    this.byPosition = kind >> 2 === 1;
    this.size = r.number(2 ** 33);
    this.kept = this.variant === blocks ? r.number(this.size) : this.size;
    this.k = r.decimal();
    const capacity = r.big();
    r.done();
    must(this.variant <= blocks && kind >> 2 <= 1 && (!this.byPosition || this.variant === rational), `variant ${kind}`);
    must(this.kept > 0 && (BigInt(this.kept) & ~BigInt(this.size)) === 0n && capacity > 0n, `${this.size} bits, of which ${this.kept} are left`);
    must(this.k >= 0 && this.k <= 64 && !Object.is(this.k, -0), `k is ${this.k}`);
    must(this.variant !== standard || (this.k >= 1 && Number.isInteger(this.k)), `k is ${this.k}`);
    must(h.body.length === Math.ceil(this.kept / 64) * 8, `a body of ${h.body.length} bytes for ${this.kept} bits`);
    let set = 0;
    for (let i = 0; i < h.body.length; i++) for (let c = h.body[i]!; c > 0; c &= c - 1) set++;
    for (let p = this.kept; p < h.body.length * 8; p++) must(!this.has(p), "bits after the last of the filter");
    if (h.total === undefined) return;
    must(BigInt(set) <= h.total * BigInt(Math.ceil(this.k)) && !(set === 0 && h.total > 0n && this.variant === standard), "bits that do not match the total");
  }

  private has(p: number): boolean {
    return ((this.h.body[Math.floor(p / 8)]! >> p % 8) & 1) === 1;
  }

  contains(key: Key): boolean {
    const h = this.hash(key);
    return this.variant === blocks ? this.inBlocks(h) : this.inAll(h);
  }

  private inAll(h: Hash): boolean {
    const m = BigInt(this.size);
    const whole = Math.floor(this.k);
    const positions = series(h, whole + 1).map((x) => Number(scaled(x, m)));
    const part = Math.floor((this.k - whole) * unit) / unit;
    let n = Math.floor(this.k);
    if (this.byPosition) {
      const at = whole > 0 ? positions[whole - 1]! : Number(scaled(h[0], m));
      if (at < (this.k - whole) * this.size) n++;
    } else if (part + activation(h) >= 1) n++;
    return positions.slice(0, n).every((p) => this.has(p));
  }

  private inBlocks(h: Hash): boolean {
    const u = BigInt(activation(h) * unit);
    const k = BigInt(Math.floor(this.k * unit));
    const one = BigInt(unit);
    const n = Number((k + u) / one);
    const xs = series(h, n);
    const size = BigInt(this.size);
    let before = 0n;
    let i = 0;
    let kept = 0;
    for (let bit = 33n; bit >= 0n; bit--) {
      const length = 1n << bit;
      if ((size & length) === 0n) continue;
      before += length;
      const here = (BigInt(this.kept) & length) !== 0n;
      const end = Number((this.upTo(before, size) + u) / one);
      for (; i < end; i++) if (here && !this.has(kept + Number(scaled(xs[i]!, length)))) return false;
      if (here) kept += Number(length);
    }
    return true;
  }

  /** k times a part of the bits, rounded down. */
  private upTo(length: bigint, size: bigint): bigint {
    return (BigInt(Math.floor(this.k * unit)) * length) / size;
  }
}

/** A number from 0 to below 1 that no position depends on. */
function activation([h1, h2]: Hash): number {
  const y = mix(h1 ^ (((h2 << 32n) & full) | (h2 >> 32n)));
  return Number(y >> 8n) / unit;
}

/** The most bytes of a body. */
const mostBody = 2 ** 30;

/** The patterns of a bucket with so many fingerprints, by the number of slots: the marker of slot 0 first. */
const patterns: readonly (readonly number[])[] = [
  [],
  [],
  [0b10, 0b10],
  [0b010, 0b100, 0b101],
  [0b010, 0b100, 0b101, 0b110],
  ...Array.from({ length: 4 }, () => [2, 4, 5, 6, 8, 9, 10, 11]),
];
const markers = [0, 0, 2, 3, 3, 4, 4, 4, 4];

/** What a fingerprint is known of: value below 2^known. */
interface Fingerprint {
  value: bigint;
  known: number;
}

/** Which keys are there, and how often where it is a multiset: no key is missed. */
export class CuckooFilter extends KeySketch {
  readonly family = "cuckoo";
  private readonly tagged: boolean;
  private readonly variable: boolean;
  private readonly f: number;
  private readonly slots: number;
  private readonly buckets: bigint;

  constructor(h: Header, bytes: number) {
    super(h, bytes, additive);
    const r = new Bytes(h.params, "parameters");
    const kind = r.byte();
    this.tagged = (kind & 1) === 1;
    this.variable = kind >> 1 === 1;
    this.f = r.byte();
    this.slots = r.byte();
    const capacity = r.big();
    const buckets = r.number();
    this.buckets = BigInt(buckets);
    r.done();
    const { f, slots } = this;
    must(kind < 4 && f >= 4 && f <= 32 && slots >= 1 && slots <= 8 && !(this.variable && slots === 1), `variant ${kind}, ${f} bits, ${slots} slots`);
    must(buckets >= 2 && buckets % 2 === 0 && buckets <= (mostBody * 8) / (f * slots), `${buckets} buckets`);
    must(this.tagged || Number.isInteger(Math.log2(buckets)), `${buckets} buckets of a plain filter`);
    must(capacity >= 1n && capacity <= this.buckets * BigInt(slots), `capacity ${capacity}`);
    must(h.body.length === Math.ceil((buckets * f * slots) / 8) + 7, `a body of ${h.body.length} bytes`);
    let stored = 0n;
    for (let i = 0n; i < this.buckets; i++) stored += BigInt(this.read(i, true).length);
    for (let bit = buckets * f * slots; bit < h.body.length * 8; bit++) {
      must(((h.body[Math.floor(bit / 8)]! >> bit % 8) & 1) === 0, "bits after the last bucket");
    }
    if (h.flags & additive) must(h.total === stored, "a total that is not the number of fingerprints");
    else must(h.total === undefined || h.total >= stored, "a total below the number of fingerprints");
  }

  /** How often a key is stored; of a set 0 or 1. */
  count(key: Key): number {
    const [h1, h2] = this.hash(key);
    const value = this.variable ? h2 >> 1n : 1n + scaled(h2 - 1n, (1n << BigInt(this.f)) - 1n);
    const first = scaled(h1, this.buckets);
    let n = 0;
    for (const bucket of [first, this.other(first, value)]) {
      for (const p of this.read(bucket)) if ((value & ((1n << BigInt(p.known)) - 1n)) === p.value) n++;
    }
    return this.h.flags & additive ? n : Math.min(n, 1);
  }

  contains(key: Key): boolean {
    return this.count(key) > 0;
  }

  private other(i: bigint, value: bigint): bigint {
    const base = value & ((1n << BigInt(this.f)) - 1n);
    const x = ((base + 1n) * golden) & full;
    const y = ((x ^ (x >> 32n)) * 0xd6e8feb86659fd93n) & full;
    const m = this.buckets;
    if (!this.tagged) return i ^ (1n + scaled(y, m - 1n));
    return (1n + 2n * scaled(y, m / 2n) - i + m) % m;
  }

  /** The fingerprints of a bucket; with strict, it throws where they are not in their only form. */
  private read(i: bigint, strict = false): Fingerprint[] {
    const { f, slots } = this;
    const width = f * slots;
    const at = Number(i) * width;
    const first = Math.floor(at / 8);
    let x = 0n;
    for (let k = 0; k < Math.ceil((width + (at % 8)) / 8); k += 8) {
      let w = 0n;
      if (first + k + 8 <= this.h.body.length) w = word(this.h.body, first + k);
      else for (let j = this.h.body.length - 1; j >= first + k; j--) w = (w << 8n) | BigInt(this.h.body[j]!);
      x |= w << BigInt(8 * k);
    }
    x = bitsOf(x, at % 8, width);
    if (this.variable) return this.readVariable(x, strict);
    const out: Fingerprint[] = [];
    let before = 1n << BigInt(f);
    for (let j = 0; j < slots; j++) {
      const value = bitsOf(x, j * f, f);
      if (strict) must(value <= before, "fingerprints that are not in order");
      before = value;
      if (value > 0n) out.push({ value, known: f });
    }
    return out;
  }

  private readVariable(x: bigint, strict: boolean): Fingerprint[] {
    const { f, slots } = this;
    const t = markers[slots]!;
    const low = f - 1;
    const bit = (i: number): number => Number((x >> BigInt(i)) & 1n);
    const high = slots * low;
    // The markers are those of slots 0 to t-1, slot 0 lowest; before them come the highest bits of the others.
    let code = 0;
    for (let j = 0; j < t; j++) code |= bit(high + slots - t + j) << (t - 1 - j);
    const ascending = ((code + 1) & code) === 0;
    if (ascending) return this.readWhole(x, low, high, t, strict);
    let n = patterns[slots]!.indexOf(code);
    let codeBits = t;
    if (slots === 2) {
      // The marker pattern 10 and, below it, whether there is one.
      codeBits = 3;
      n = bit(high - 1);
    }
    const codeAt = high + slots - codeBits;
    const r0 = codeAt - n * low;
    const flagged = n > 0 && r0 >= n + 2;
    const r = flagged ? r0 - 1 : r0;
    const short = flagged && bit(codeAt - 1) === 1;
    const out: Fingerprint[] = [];
    const order: bigint[] = [];
    let rest = bitsOf(x, 0, codeAt);
    if (flagged) rest &= ~(1n << BigInt(codeAt - 1));
    let begin = n * low;
    const widths = flagged ? this.widths(n, r) : Array.from({ length: n }, () => 1);
    for (let j = 0; j < n; j++) {
      const mine = bitsOf(x, j * low, low);
      const width = widths[j]!;
      const field = bitsOf(x, begin, width);
      rest &= ~((((1n << BigInt(low)) - 1n) << BigInt(j * low)) | (((1n << BigInt(width)) - 1n) << BigInt(begin)));
      begin += width;
      let known = width;
      let value = field;
      if (short && width > 1) {
        known = field > 1n ? field.toString(2).length - 1 : 0;
        if (strict) must(known > 0, "a field without a sentinel");
        value = bitsOf(field, 0, known);
      }
      order.push((field << BigInt(low)) | mine);
      out.push({ value: (value << BigInt(low)) | mine, known: low + known });
    }
    if (strict) {
      must(n >= 0 && rest === 0n, "bits of a bucket that say nothing");
      const sorted = n > 1 && widths[n - 1] !== widths[0] ? order.slice(0, n - 1) : order;
      must(sorted.every((v, j) => j === 0 || sorted[j - 1]! <= v), "fingerprints that are not in order");
    }
    return out;
  }

  /** A full bucket: the bases in ascending order. */
  private readWhole(x: bigint, low: number, high: number, t: number, strict: boolean): Fingerprint[] {
    const { f, slots } = this;
    const out: Fingerprint[] = [];
    for (let j = 0; j < slots; j++) {
      const top = bitsOf(x, j < t ? high + slots - t + j : high + j - t, 1);
      const value = (top << BigInt(low)) | bitsOf(x, j * low, low);
      if (strict) must(j === 0 || out[j - 1]!.value <= value, "fingerprints that are not in order");
      out.push({ value, known: f });
    }
    return out;
  }

  /** The bits of each of n fields that share r. */
  private widths(n: number, r: number): number[] {
    const down = Math.floor(r / n);
    const cost = (w: number): number => {
      const last = r - (n - 1) * w;
      return last < 1 ? Infinity : (n - 1) * 2 ** -w + 2 ** -last;
    };
    const w = cost(down + 1) < cost(down) ? down + 1 : down;
    return Array.from({ length: n }, (_, j) => Math.min(j < n - 1 ? w : r - (n - 1) * w, 64 - this.f));
  }
}

function bitsOf(x: bigint, at: number, n: number): bigint {
  return (x >> BigInt(at)) & ((1n << BigInt(n)) - 1n);
}
