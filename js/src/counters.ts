import { type Area, inside, outside } from "./area.js";
import { bounded, fail, full, must, Sum } from "./bytes.js";
import { cellsIn, isEmpty, meet, type Rect } from "./grid.js";
import { additive, type Header, saturated } from "./header.js";
import { hash, type Hash } from "./hash.js";
import { word64 } from "./key.js";
import { layerBytes, type Params } from "./params.js";

/** The most lookups of one question, which takes a few seconds at most. */
const mostLookups = 2 ** 20;

/** Up to how many cells of an area are looked up one by one where there are levels. */
const smallArea = 8;
/** The lowest level at which a square is looked up that is only partly inside. */
const readPartly = 2;

interface Layer {
  data: Uint8Array;
  width: number;
  size: number;
  /** What its values are multiplied by. */
  factor: number;
}

/** Counters that cells share, in layers. */
export class Counters {
  private readonly layers: Layer[] = [];
  private readonly sums: boolean;
  private readonly ceiling: boolean;
  /** The largest answer. */
  private readonly most: bigint;

  constructor(
    private readonly p: Params,
    private readonly h: Header,
  ) {
    this.sums = (h.flags & additive) !== 0;
    this.ceiling = (h.flags & saturated) !== 0;
    this.most = h.total ?? full;
    let at = 0;
    let factor = 1;
    layerBytes(p.widths, p.counters).forEach((bytes, i) => {
      const width = p.widths[i]!;
      this.layers.push({ data: h.body.subarray(at, at + bytes), width, size: p.counters[i]!, factor });
      at += bytes;
      factor *= 2 ** (width - 1);
    });
    must(at === h.body.length, `a body of ${h.body.length} bytes, but layers take ${at}`);
    this.check();
  }

  private check(): void {
    const { h, p } = this;
    let atCeiling = false;
    let anything = false;
    for (const [i, l] of this.layers.entries()) {
      anything ||= l.data.some((b) => b !== 0);
      for (let bit = l.size * l.width; bit < l.data.length * 8; bit++) {
        must(((l.data[Math.floor(bit / 8)]! >> bit % 8) & 1) === 0, `bits after the last counter of layer ${i}`);
      }
    }
    const last = this.layers[this.layers.length - 1]!;
    for (let j = 0; j < last.size; j++) {
      const c = load(last, j);
      if (c >> BigInt(last.width - 1) === 0n) continue;
      must(c === (1n << BigInt(last.width)) - 1n, "a counter at its ceiling that is not full");
      atCeiling = true;
    }
    must(atCeiling === this.ceiling, "the flag for counters at their ceiling");
    if (h.total === undefined) return;
    must(p.bounds !== undefined || h.total === 0n, "points without bounds");
    const twice = p.totals ? 2n : 1n;
    const keys = twice * BigInt(p.levels + 1);
    if (!this.sums) {
      must(anything === h.total > 0n, "counters that do not match the total");
      const most = h.total * (keys + twice * BigInt(p.base));
      const first = this.layers[0]!;
      if (most >= 1n << BigInt(first.width - 1)) return;
      for (let j = 0; j < first.size; j++) must(load(first, j) <= most, "a counter above what was counted");
    } else if (!this.ceiling && h.total < full) {
      const sum = this.sum();
      const counted = h.total * keys * BigInt(p.k);
      must(sum === counted || (p.base > 0 && sum > counted), "counters that do not add up to the total");
    }
  }

  /** What all counters were counted up by. */
  private sum(): bigint {
    let sum = 0n;
    let shift = 0n;
    for (const l of this.layers) {
      const bits = BigInt(l.width - 1);
      let small = 0;
      for (let j = 0; j < l.size; j++) {
        if (l.width > 32) sum += (load(l, j) & ((1n << bits) - 1n)) << shift;
        else small += loadSmall(l, j) % 2 ** (l.width - 1);
      }
      sum += BigInt(small) << shift;
      shift += bits;
    }
    return sum;
  }

  private key(x: number, y: number, level: number, category: Uint8Array | undefined): Hash {
    const all: number[] = [...word64(BigInt(x)), ...word64(BigInt(y))];
    if (level > 0) all.push(2, level);
    if (category) all.push(1, ...category);
    return hash(this.h.seed, Uint8Array.from(all));
  }

  /** The count of a cell, or of a square of a level. */
  count(x: number, y: number, category: Uint8Array | undefined, level = 0): number {
    const [h1, h2] = this.key(x, y, level + this.p.base, category);
    const size = BigInt(this.layers[0]!.size);
    const at: number[] = [];
    for (let i = 1n; i <= BigInt(this.p.k); i++) at.push(Number((h1 + i * h2) % size));
    let least = full;
    for (const j of at) {
      const v = this.digits(0, j) ?? this.most;
      if (v < least) least = v;
      if (least === 0n) return 0;
    }
    if (this.sums) least = this.apart(at, least);
    return Number(least < this.most ? least : this.most);
  }

  /** What counter j of a layer reads as from there on; undefined where one is at its ceiling. */
  private digits(layer: number, j: number): bigint | undefined {
    let v = 0n;
    for (let shift = 0n; layer < this.layers.length; layer++) {
      const l = this.layers[layer]!;
      j %= l.size;
      const c = load(l, j);
      const bits = BigInt(l.width - 1);
      v += (c & ((1n << bits) - 1n)) << shift;
      if (c >> bits === 0n) return v;
      shift += bits;
    }
    return undefined;
  }

  /** What a key has at most whose positions meet: of n in one counter each has the n-th part. */
  private apart(at: number[], least: bigint): bigint {
    let shares = at.map((j) => ({ j, n: 1n, sum: 0n }));
    let shift = 0n;
    for (const [x, l] of this.layers.entries()) {
      const met = new Map<number, { j: number; n: bigint; sum: bigint }>();
      for (const s of shares) {
        s.j %= l.size;
        const other = met.get(s.j);
        if (other) {
          other.n += s.n;
          other.sum += s.sum;
        } else met.set(s.j, s);
      }
      const bits = BigInt(l.width - 1);
      shares = [];
      for (const s of met.values()) {
        const v = this.digits(x, s.j);
        if (v !== undefined && s.n > 1n) {
          const part = (s.sum + (v << shift)) / s.n;
          if (part < least) least = part;
        }
        const c = load(l, s.j);
        if (c >> bits === 0n) continue;
        s.sum += (c & ((1n << bits) - 1n)) << shift;
        shares.push(s);
      }
      shift += bits;
    }
    return least;
  }

  /** The sum over an area, and how many cells or squares were looked up for it. */
  areaSum(area: Area, bounds: Rect, category: Uint8Array | undefined): { sum: number; lookups: number } {
    const r = meet(area.bounds, bounds);
    if (isEmpty(r)) return { sum: 0, lookups: 0 };
    const sum = new Descent(this, area, bounds, category, this.p.levels > 0 && cellsIn(r) > smallArea ? this.p.levels : 0);
    const side = Math.max(r.x1 - r.x0, r.y1 - r.y0) + 1;
    const top = Math.ceil(Math.log2(side));
    let total = 0;
    for (let y = Math.floor(r.y0 / 2 ** top); y <= Math.floor(r.y1 / 2 ** top); y++) {
      for (let x = Math.floor(r.x0 / 2 ** top); x <= Math.floor(r.x1 / 2 ** top); x++) total += sum.square(top, x, y, Infinity);
    }
    return { sum: bounded(total), lookups: sum.lookups };
  }

  /** How much a cell without points reads on average. */
  emptyExcess(): number {
    const { size } = this.layers[0]!;
    const values = new Float64Array(size);
    for (let j = 0; j < size; j++) values[j] = Number(this.digits(0, j) ?? this.most);
    values.sort();
    // The least of k counters drawn at random is above v if all are.
    let excess = 0;
    for (let j = 0; j < size; j++) {
      const step = values[j]! - (j > 0 ? values[j - 1]! : 0);
      if (step > 0) excess += step * ((size - j) / size) ** this.p.k;
    }
    return excess;
  }
}

/** Sums an area from large squares down to cells. */
class Descent {
  lookups = 0;
  private steps = 0;

  constructor(
    private readonly counters: Counters,
    private readonly area: Area,
    private readonly bounds: Rect,
    private readonly category: Uint8Array | undefined,
    private readonly levels: number,
  ) {}

  /** The sum of the part of a square in the area, at most bound. */
  square(level: number, x: number, y: number, bound: number): number {
    if (++this.steps > 4 * mostLookups) this.tooMany();
    const side = 2 ** level;
    const r = { x0: x * side, y0: y * side, x1: (x + 1) * side - 1, y1: (y + 1) * side - 1 };
    const within = meet(r, this.bounds);
    if (isEmpty(within)) return 0;
    let relation: 0 | 1 | 2 = outside;
    if (level > 0) relation = this.area.enter(this.levels > 0 ? r : within);
    else if (this.area.contains(x, y)) relation = inside;
    if (relation === outside) return 0;
    if (relation === inside && level > this.levels) return this.whole(within);
    if (relation === inside || (level >= readPartly && level <= this.levels)) {
      bound = Math.min(bound, this.read(level, x, y));
      if (relation === inside) return bound;
    }
    let sum = 0;
    if (bound > 0) for (let i = 0; i < 4; i++) sum += this.square(level - 1, 2 * x + (i & 1), 2 * y + (i >> 1), bound);
    this.area.leave();
    return Math.min(sum, bound);
  }

  /** The sum of a rectangle that is inside, by the largest squares that were counted. */
  private whole(r: Rect): number {
    const side = 2 ** this.levels;
    const s = { x0: Math.floor(r.x0 / side), y0: Math.floor(r.y0 / side), x1: Math.floor(r.x1 / side), y1: Math.floor(r.y1 / side) };
    if (this.lookups + cellsIn(s) > mostLookups) this.tooMany();
    const sum = new Sum();
    for (let y = s.y0; y <= s.y1; y++) for (let x = s.x0; x <= s.x1; x++) sum.add(BigInt(this.read(this.levels, x, y)));
    return sum.value;
  }

  private read(level: number, x: number, y: number): number {
    if (++this.lookups > mostLookups) this.tooMany();
    return this.counters.count(x, y, this.category, level);
  }

  private tooMany(): never {
    return fail(`the area has more than ${mostLookups} cells, each of which would be looked up: ask for a smaller one`);
  }
}

/** Counter j of a layer, flag included. */
function load(l: Layer, j: number): bigint {
  if (l.width <= 32) return BigInt(loadSmall(l, j));
  let v = 0n;
  const bit = j * l.width;
  for (let i = Math.floor((bit + l.width - 1) / 8); i >= Math.floor(bit / 8); i--) v = (v << 8n) | BigInt(l.data[i]!);
  return (v >> BigInt(bit % 8)) & ((1n << BigInt(l.width)) - 1n);
}

function loadSmall(l: Layer, j: number): number {
  const bit = j * l.width;
  const first = Math.floor(bit / 8);
  let v = 0;
  for (let i = Math.floor((bit + l.width - 1) / 8); i >= first; i--) v = v * 256 + l.data[i]!;
  return Math.floor(v / 2 ** (bit % 8)) % 2 ** l.width;
}
