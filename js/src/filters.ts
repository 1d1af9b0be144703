import { bitsAt, manyBitsAt, zerosFrom } from "./bits.js";
import { full, type Must, partOf, Reader } from "./bytes.js";
import { additive, type Header, type Info, infoOf, saturated, totalKnown } from "./header.js";
import { golden, hash, type Hash, mix, scaled, series } from "./hash.js";
import { type Key, keyBytes } from "./key.js";

const must: Must = partOf("its filter");

export type KeyInfo = Info;

/** A Count-Min sketch: how often each key occurs. Counts are never below the true count. */
export interface CountMinSketch {
  readonly family: "cms";
  info(): KeyInfo;
  count(key: Key): bigint;
}

/** A Bloom filter. A key that was added is always found. */
export interface BloomFilter {
  readonly family: "bloom";
  info(): KeyInfo;
  contains(key: Key): boolean;
}

/** A cuckoo filter: a set, or a multiset that also counts keys. A key that was added is always found. */
export interface CuckooFilter {
  readonly family: "cuckoo";
  info(): KeyInfo;
  /** The number of times that a key is stored. In a set, it is 0 or 1. */
  count(key: Key): number;
  contains(key: Key): boolean;
}

const hashOf = (h: Header, key: Key): Hash => hash(h.seed, keyBytes(key, h.keyClass));

/** Throws if a header has levels, or flags other than the given ones and the flag of the total. */
function checkHeader(h: Header, flags: number): void {
  must((h.flags & 31 & ~flags & ~totalKnown) === 0 && h.levels === 0);
}

export function countMinSketch(h: Header): CountMinSketch {
  checkHeader(h, additive | saturated);
  const r = new Reader(h.params);
  const width = r.number(2 ** 27);
  const depth = r.number(32);
  r.done();
  const counters = width * depth;
  const size = h.body.length / counters;
  must(counters > 0 && counters <= 2 ** 27 && [1, 2, 4, 8].includes(size));
  const at = (row: number, j: number): bigint => manyBitsAt(h.body, (row * width + j) * size * 8, size * 8);

  const isSaturated = (h.flags & saturated) > 0;
  let largest = 0n;
  let all = 0n;
  for (let row = 0; row < depth; row++) {
    let sum = 0n;
    for (let j = 0; j < width; j++) {
      const c = at(row, j);
      sum += c;
      if (c > largest) largest = c;
    }
    all += sum;
    must(h.total === undefined || isSaturated || sum === h.total || (!(h.flags & additive) && sum < h.total));
  }
  must(h.total === undefined || isSaturated || all >= h.total);
  must((size === 1 || largest >> BigInt(4 * size) > 0n) && (largest === full) === isSaturated);

  return {
    family: "cms",
    info: () => infoOf(h),
    count(key) {
      const [h1, h2] = hashOf(h, key);
      let least = full;
      for (let row = 0; row < depth; row++) {
        const c = at(row, Number(scaled((h1 + BigInt(row + 1) * h2) & full, width)));
        if (c < least) least = c;
      }
      return least;
    },
  };
}

const standard = 0;
const rational = 1;
const blocks = 2;
/** The fraction of k is a multiple of 2^-56. */
const unit = 2 ** 56;

export function bloomFilter(h: Header): BloomFilter {
  checkHeader(h, 0);
  const r = new Reader(h.params);
  const kind = r.byte();
  const variant = kind & 3;
  const byPosition = kind > 3;
  /** The numbers of bits: size when the filter was made, kept after bloom_shrink. */
  const size = r.number(2 ** 33);
  const kept = variant === blocks ? r.number(size) : size;
  const k = r.decimal();
  const whole = Math.floor(k);
  must(r.big() > 0n && variant <= blocks && kind < 8 && (!byPosition || variant === rational));
  r.done();
  must(kept > 0 && (BigInt(kept) & ~BigInt(size)) === 0n && h.body.length === Math.ceil(kept / 64) * 8);
  must(k >= 0 && k <= 64 && !Object.is(k, -0) && (variant !== standard || (k > 0 && k === whole)));
  let set = 0;
  for (let c of h.body) for (; c > 0; c &= c - 1) set++;
  must(zerosFrom(h.body, kept));
  must(h.total === undefined || (set <= h.total * BigInt(Math.ceil(k)) && (set > 0 || h.total === 0n || variant !== standard)));

  const has = (p: number): boolean => bitsAt(h.body, p, 1) === 1;

  function inAll(hash: Hash): boolean {
    const positions = series(hash, whole + 1).map((x) => scaled(x, size));
    let n = whole;
    if (byPosition) {
      if ((positions[whole - 1] ?? scaled(hash[0], size)) < (k - whole) * size) n++;
    } else if (Math.floor((k - whole) * unit) / unit + activation(hash) >= 1) n++;
    return positions.slice(0, n).every(has);
  }

  function inBlocks(hash: Hash): boolean {
    const u = BigInt(activation(hash) * unit);
    const shares = BigInt(Math.floor(k * unit));
    const positions = series(hash, Number((shares + u) >> 56n));
    let before = 0;
    let at = 0;
    let i = 0;
    for (let length = 2 ** 33; length >= 1; length /= 2) {
      if (Math.floor(size / length) % 2 === 0) continue;
      before += length;
      const here = Math.floor(kept / length) % 2 === 1;
      const end = Number(((shares * BigInt(before)) / BigInt(size) + u) >> 56n);
      for (; i < end; i++) if (here && !has(at + scaled(positions[i]!, length))) return false;
      if (here) at += length;
    }
    return true;
  }

  return {
    family: "bloom",
    info: () => infoOf(h),
    contains: (key) => (variant === blocks ? inBlocks : inAll)(hashOf(h, key)),
  };
}

/** A number from 0 to below 1 that is independent of the positions of a key. */
function activation([h1, h2]: Hash): number {
  const y = mix(h1 ^ (((h2 << 32n) & full) | (h2 >> 32n)));
  return Number(y >> 8n) / unit;
}

/** The largest number of bytes of a body. */
const mostBody = 2 ** 30;

/** The marker patterns of a bucket, by its number of fingerprints. The marker of slot 0 comes first. */
const patterns = [0b10, 0b100, 0b101, 0b110, 0b1000, 0b1001, 0b1010, 0b1011];
/** The number of slots with markers, by the number of slots of a bucket. */
const markers = [0, 0, 2, 3, 3, 4, 4, 4, 4];

/** The known bits of a fingerprint: value, below 2^known. */
interface Fingerprint {
  value: bigint;
  known: number;
}

export function cuckooFilter(h: Header): CuckooFilter {
  checkHeader(h, additive);
  const isMultiset = (h.flags & additive) > 0;
  const r = new Reader(h.params);
  const kind = r.byte();
  const tagged = kind % 2 > 0;
  const variable = kind > 1;
  const f = r.byte();
  const slots = r.byte();
  const capacity = r.big();
  const buckets = r.number();
  const width = f * slots;
  r.done();
  must(kind < 4 && f >= 4 && f <= 32 && slots >= 1 && slots <= 8 && !(variable && slots === 1));
  must(buckets >= 2 && buckets % 2 === 0 && buckets <= (mostBody * 8) / width && (tagged || Number.isInteger(Math.log2(buckets))));
  must(capacity >= 1n && capacity <= buckets * slots && h.body.length === Math.ceil((buckets * width) / 8) + 7);
  let stored = 0;
  for (let i = 0; i < buckets; i++) stored += read(i).length;
  must(zerosFrom(h.body, buckets * width));
  must(isMultiset ? h.total === BigInt(stored) : h.total === undefined || h.total >= stored);

  /** The fingerprints of a bucket. */
  function read(i: number): Fingerprint[] {
    const x = manyBitsAt(h.body, i * width, width);
    if (variable) return readVariable(x);
    const values = Array.from({ length: slots }, (_, j) => bitsOf(x, j * f, f));
    must(areInOrder([...values].reverse()));
    return values.filter((v) => v > 0n).map((value) => ({ value, known: f }));
  }

  function readVariable(x: bigint): Fingerprint[] {
    const t = markers[slots]!;
    const low = f - 1;
    /** The highest bit of slot j: before the markers, those of slots 0 to t-1, come the others. */
    const highest = (j: number): bigint => bitsOf(x, slots * low + ((j - t + slots) % slots), 1);
    let pattern = 0;
    for (let j = 0; j < t; j++) pattern = pattern * 2 + Number(highest(j));
    const isFull = ((pattern + 1) & pattern) === 0;
    // In a bucket of two slots, the bit below the marker pattern says whether there is a marker pattern.
    const codeAt = slots * low + slots - (slots === 2 ? 3 : t);
    const n = isFull ? slots : slots === 2 ? Number(bitsOf(x, codeAt, 1)) : patterns.indexOf(pattern);
    must(n >= 0 && (isFull || n < slots));
    const lows = Array.from({ length: n }, (_, j) => bitsOf(x, j * low, low));
    if (isFull) {
      const values = lows.map((v, j) => (highest(j) << BigInt(low)) | v);
      must(areInOrder(values));
      return values.map((value) => ({ value, known: f }));
    }
    const room = codeAt - n * low;
    const flagged = n > 0 && room >= n + 2;
    const short = flagged ? bitsOf(x, codeAt - 1, 1) : 0n;
    const widths = flagged ? widthsOf(n, room - 1) : lows.map(() => 1);
    let begin = n * low;
    let said = short << BigInt(codeAt - 1);
    const order: bigint[] = [];
    const out = lows.map((mine, j) => {
      let known = widths[j]!;
      let value = bitsOf(x, begin, known);
      said |= (mine << BigInt(j * low)) | (value << BigInt(begin));
      begin += known;
      order.push((value << BigInt(low)) | mine);
      if (short && known > 1) {
        // The highest bit that is 1 is a sentinel; the known bits are those below it.
        known = value.toString(2).length - 1;
        must(known > 0);
        value = bitsOf(value, 0, known);
      }
      return { value: (value << BigInt(low)) | mine, known: low + known };
    });
    if (widths[n - 1] !== widths[0]) order.pop();
    must(areInOrder(order) && said === bitsOf(x, 0, codeAt));
    return out;
  }

  /** The number of bits of each of n fields that together have r bits. */
  function widthsOf(n: number, r: number): number[] {
    const lastOf = (w: number): number => r - (n - 1) * w;
    const cost = (w: number): number => (lastOf(w) < 1 ? Infinity : (n - 1) * 2 ** -w + 2 ** -lastOf(w));
    let w = Math.floor(r / n);
    if (cost(w + 1) < cost(w)) w++;
    return Array.from({ length: n }, (_, j) => Math.min(j < n - 1 ? w : lastOf(w), 64 - f));
  }

  function otherOf(i: number, value: bigint): number {
    const x = ((bitsOf(value, 0, f) + 1n) * golden) & full;
    const y = ((x ^ (x >> 32n)) * 0xd6e8feb86659fd93n) & full;
    if (!tagged) return Number(BigInt(i) ^ BigInt(1 + scaled(y, buckets - 1)));
    return (1 + 2 * scaled(y, buckets / 2) - i + buckets) % buckets;
  }

  function count(key: Key): number {
    const [h1, h2] = hashOf(h, key);
    const value = variable ? h2 >> 1n : 1n + ((h2 - 1n) * ((1n << BigInt(f)) - 1n) >> 64n);
    const first = scaled(h1, buckets);
    const found = [first, otherOf(first, value)].flatMap(read).filter((p) => bitsOf(value, 0, p.known) === p.value);
    return isMultiset ? found.length : Math.min(found.length, 1);
  }

  return {
    family: "cuckoo",
    info: () => infoOf(h),
    count,
    contains: (key) => count(key) > 0,
  };
}

function areInOrder(values: bigint[]): boolean {
  return values.every((v, j) => j === 0 || values[j - 1]! <= v);
}

function bitsOf(x: bigint, at: number, n: number): bigint {
  return BigInt.asUintN(n, x >> BigInt(at));
}
