import { type Area, inside, outside } from "./area.js";
import { bitsAt, manyBitsAt, zerosFrom } from "./bits.js";
import { fail, full, type Must, partOf } from "./bytes.js";
import { cellsIn, isEmpty, meet, type Rect, squareAt } from "./grid.js";
import { additive, type Header, saturated } from "./header.js";
import { hash } from "./hash.js";
import { word64 } from "./key.js";
import { layerBytes, type Params } from "./params.js";

const must: Must = partOf("its counters");

/** The largest number of lookups of one query, which takes at most a few seconds. */
const mostLookups = 2 ** 20;

/** The largest number of cells of an area that are looked up one by one if there are levels. */
const smallArea = 8;
/** The lowest level at which a square is looked up that is only partly inside. */
const readPartly = 2;
/** The number of cells without points that are looked up for their average count. */
const samples = 4096;

interface Layer {
  data: Uint8Array;
  width: number;
  size: number;
  /** The bits of values. */
  bits: bigint;
  /** Values are multiplied by 2^shift. */
  shift: bigint;
}

/** A layered counting Bloom filter: counters that cells share. */
export interface Counters {
  /** The sum over an area, which is never below the truth, and how much of it is expected to be points of other cells (excess). */
  sum(area: Area, bounds: Rect, category: Uint8Array | undefined): { high: number; excess: number };
  /** The count of a cell. */
  count(x: number, y: number, category: Uint8Array | undefined): number;
}

export function countersOf(p: Params, h: Header): Counters {
  const sums = (h.flags & additive) > 0;
  /** The largest possible count of a key: the total, or 2^64-1 if the total is unknown. */
  const most = h.total ?? full;
  const layers: Layer[] = [];
  let at = 0;
  let shift = 0n;
  layerBytes(p.widths, p.counters).forEach((bytes, i) => {
    const width = p.widths[i]!;
    const bits = BigInt(width - 1);
    layers.push({ data: h.body.subarray(at, at + bytes), width, size: p.counters[i]!, bits, shift });
    at += bytes;
    shift += bits;
  });
  const first = layers[0]!;
  const last = layers[layers.length - 1]!;
  must(at === h.body.length && layers.every((l) => zerosFrom(l.data, l.size * l.width)));
  check();

  /** Counter j of a layer, flag included. */
  function load(l: Layer, j: number): bigint {
    return manyBitsAt(l.data, j * l.width, l.width);
  }

  function valueOf(l: Layer, c: bigint): bigint {
    return BigInt.asUintN(Number(l.bits), c) << l.shift;
  }

  function check(): void {
    let ceiling = false;
    for (let j = 0; j < last.size; j++) {
      const c = load(last, j);
      if (c >> last.bits === 0n) continue;
      must(c + 1n === 1n << BigInt(last.width));
      ceiling = true;
    }
    must(ceiling === (h.flags & saturated) > 0);
    if (h.total === undefined) return;
    must(p.bounds !== undefined || h.total === 0n);
    const twice = p.totals ? 2 : 1;
    const keys = h.total * BigInt(twice * (h.levels + 1));
    if (!sums) {
      must(h.body.some((b) => b > 0) === h.total > 0n);
      const largest = keys + h.total * BigInt(twice * p.base);
      if (largest >> first.bits > 0n) return;
      for (let j = 0; j < first.size; j++) must(load(first, j) <= largest);
    } else if (!ceiling && h.total < full) {
      const sum = layers.reduce((sum, l) => sum + sumOf(l), 0n);
      const counted = keys * BigInt(p.k);
      must(sum === counted || (p.base > 0 && sum > counted));
    }
  }

  /** The sum of all values of a layer. */
  function sumOf(l: Layer): bigint {
    let sum = 0n;
    let small = 0;
    for (let j = 0; j < l.size; j++) {
      if (l.width > 40) sum += valueOf(l, load(l, j));
      else small += bitsAt(l.data, j * l.width, l.width - 1);
    }
    return sum + (BigInt(small) << l.shift);
  }

  /** The value of counter j of a layer and of its counters in the layers after it; undefined if one of these is at its ceiling. */
  function digits(layer: number, j: number): bigint | undefined {
    let v = 0n;
    for (const l of layers.slice(layer)) {
      const c = load(l, j % l.size);
      v += valueOf(l, c);
      if (c >> l.bits === 0n) return v;
    }
    return undefined;
  }

  /** The largest count of a key if several of its positions are the same counter: with n positions, it has at most the n-th part of the counter. */
  function apart(at: number[], least: bigint): bigint {
    let shares = at.map((j) => ({ j, n: 1n, sum: 0n }));
    layers.forEach((l, i) => {
      const met = new Map<number, (typeof shares)[0]>();
      for (const s of shares) {
        s.j %= l.size;
        const other = met.get(s.j);
        if (other) {
          other.n += s.n;
          other.sum += s.sum;
        } else met.set(s.j, s);
      }
      shares = [...met.values()].filter((s) => {
        const v = digits(i, s.j);
        if (v !== undefined && s.n > 1n && (s.sum + v) / s.n < least) least = (s.sum + v) / s.n;
        const c = load(l, s.j);
        s.sum += valueOf(l, c);
        return c >> l.bits > 0n;
      });
    });
    return least;
  }

  /** The count of a square of a level. A square of level 0 is a cell. */
  function read(x: number, y: number, category: Uint8Array | undefined, level: number): number {
    const key = [...word64(BigInt(x)), ...word64(BigInt(y))];
    level += p.base;
    if (level > 0) key.push(2, level);
    if (category) key.push(1, ...category);
    const [h1, h2] = hash(h.seed, Uint8Array.from(key));
    const at: number[] = [];
    let least = most;
    for (let i = 1n; i <= p.k; i++) {
      const j = Number((h1 + i * h2) % BigInt(first.size));
      const v = digits(0, j) ?? most;
      if (v === 0n) return 0;
      if (v < least) least = v;
      at.push(j);
    }
    return Number(sums ? apart(at, least) : least);
  }

  /** The average count of a cell without points, measured in cells out of bounds. */
  let excess: number | undefined;
  function meanExcess(bounds: Rect, category: Uint8Array | undefined): number {
    let sum = 0;
    for (let i = 1; i <= samples; i++) sum += read(bounds.x1 + i, bounds.y0, category, 0);
    return sum / samples;
  }

  function sum(area: Area, bounds: Rect, category: Uint8Array | undefined): { high: number; excess: number } {
    const r = meet(area.bounds, bounds);
    const levels = cellsIn(r) > smallArea ? h.levels : 0;
    let lookups = 0;
    let steps = 0;
    const spend = (squares: number): void => {
      if (lookups + squares > mostLookups || steps > 4 * mostLookups) {
        fail(`the area has more than ${mostLookups} cells, each of which would be looked up: ask for a smaller one`);
      }
    };

    /** The sum over the part of a square that lies in the area. It is at most the parameter bound. */
    function square(x: number, y: number, level: number, bound: number, whole: boolean): number {
      steps++;
      spend(0);
      const r = squareAt(x * 2 ** level, y * 2 ** level, 2 ** level);
      const within = meet(r, bounds);
      if (isEmpty(within)) return 0;
      const relation = whole ? inside : area.enter(levels > 0 ? r : within);
      if (relation === outside) return 0;
      if (relation === inside) spend(cellsIn(within) / 4 ** Math.min(level, levels));
      if (level <= levels && (relation === inside || level >= readPartly)) {
        lookups++;
        bound = Math.min(bound, read(x, y, category, level));
      }
      let sum = 0;
      if (relation === inside && level <= levels) sum = bound;
      else if (bound > 0) {
        for (let q = 0; q < 4; q++) sum += square(2 * x + (q & 1), 2 * y + (q >> 1), level - 1, bound, relation === inside);
      }
      if (!whole && relation !== inside) area.leave();
      return Math.min(sum, bound);
    }

    const top = Math.ceil(Math.log2(Math.max(r.x1 - r.x0, r.y1 - r.y0) + 1));
    let high = 0;
    for (let y = Math.floor(r.y0 / 2 ** top); y <= Math.floor(r.y1 / 2 ** top); y++) {
      for (let x = Math.floor(r.x0 / 2 ** top); x <= Math.floor(r.x1 / 2 ** top); x++) high += square(x, y, top, Infinity, false);
    }
    excess ??= meanExcess(bounds, category);
    return { high, excess: lookups * excess };
  }

  return { sum, count: (x, y, category) => read(x, y, category, 0) };
}
