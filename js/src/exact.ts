import { bitLength, Bits, maxOrder } from "./bits.js";
import { Bytes, full, joined, must, Sum } from "./bytes.js";
import { join, type Rect } from "./grid.js";
import { lower, type Parts } from "./walk.js";
import { cellX, cellY, compareKeys, keyOf, lowestKey, newRun, type Region, type Run } from "./zorder.js";

const blockCells = 128;
const entryBytes = 12;

/** The cells of one category in one region: blocks of them, behind an index. */
export class Section implements Parts {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly total: Float64Array;
  /** The smallest rectangle around the cells. */
  readonly around: Rect = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  private readonly ends: Float64Array;
  private readonly data: Uint8Array;

  constructor(
    readonly category: Uint8Array | undefined,
    readonly region: Region,
    readonly cells: number,
    /** The sum of the counts. */
    readonly points: bigint,
    list: Uint8Array,
    bounds: Rect,
  ) {
    const n = Math.ceil(cells / blockCells);
    this.high = new Uint32Array(n);
    this.low = new Uint32Array(n);
    this.total = new Float64Array(n);
    this.ends = new Float64Array(n);
    const r = new Bytes(list, "a list of cells");
    if (n > 1) {
      const index = r.take(n * entryBytes);
      const view = new DataView(index.buffer, index.byteOffset, index.length);
      for (let i = 0; i < n; i++) {
        this.low[i] = view.getUint32(i * entryBytes, true);
        this.high[i] = view.getUint32(i * entryBytes + 4, true);
        this.ends[i] = view.getUint32(i * entryBytes + 8, true);
      }
    } else {
      const lowest = lowestKey(bounds, region);
      const key = (BigInt(lowest.high) << 32n) + BigInt(lowest.low) + r.big();
      must(key <= full, "a key beyond the last");
      this.high[0] = Number(key >> 32n);
      this.low[0] = Number(key & 0xffffffffn);
      this.ends[0] = r.left;
    }
    this.data = r.take(r.left);
    must(this.ends[n - 1] === this.data.length, "an index that does not fit its blocks");
    this.check();
  }

  /** Reads all cells once: whether they are written in their only form, and what they count. */
  private check(): void {
    const { around } = this;
    const sum = new Sum();
    let high = 0;
    let low = -1;
    for (let i = 0; i < this.high.length; i++) {
      const block = new Sum();
      const run = this.decode(i, block);
      must(compareKeys(run.high[0]!, run.low[0]!, high, low) > 0, "cells that are not in order");
      high = run.high[run.n - 1]!;
      low = run.low[run.n - 1]!;
      for (let j = 0; j < run.n; j++) {
        const x = cellX(this.region, run.high[j]!, run.low[j]!);
        const y = cellY(this.region, run.high[j]!, run.low[j]!);
        around.x0 = Math.min(around.x0, x);
        around.y0 = Math.min(around.y0, y);
        around.x1 = Math.max(around.x1, x);
        around.y1 = Math.max(around.y1, y);
      }
      this.total[i] = block.value;
      sum.add(block.exact);
    }
    must(sum.exact === this.points, `cells that count ${sum.exact}, and not ${this.points}`);
  }

  read(i: number): Run {
    return this.decode(i);
  }

  /** Block i; with a sum, it is checked, and its counts are added. */
  private decode(i: number, sum?: Sum): Run {
    const start = i > 0 ? this.ends[i - 1]! : 0;
    const end = this.ends[i]!;
    must(end >= start + 2 && end <= this.data.length, "an index that does not fit its blocks");
    const n = Math.min(blockCells, this.cells - i * blockCells);
    const gapOrder = this.data[start]!;
    const countOrder = this.data[start + 1]!;
    must(gapOrder <= maxOrder && countOrder <= maxOrder, "an order beyond the last");
    const bits = new Bits(this.data.subarray(start + 2, end));
    const run = newRun(n);
    run.n = n;
    let high = this.high[i]!;
    let low = this.low[i]!;
    const gaps = sum && new Orders(gapOrder);
    const counts = sum && new Orders(countOrder);
    for (let j = 0; j < n; j++) {
      if (j > 0) {
        bits.code(gapOrder);
        gaps?.add(bitLength(bits.high, bits.low));
        low += bits.low + 1;
        high += bits.high;
        if (low >= 2 ** 32) {
          low -= 2 ** 32;
          high++;
        }
        must(high < 2 ** 32, "a key beyond the last");
      }
      bits.code(countOrder);
      const less = joined(bits.high, bits.low);
      run.high[j] = high;
      run.low[j] = low;
      run.count[j] = Number(less) + 1;
      if (sum) {
        const n = BigInt(less) + 1n;
        must(n <= full, "a count beyond 64 bits");
        counts!.add(bitLength(bits.high, bits.low));
        sum.add(typeof less === "number" && less < Number.MAX_SAFE_INTEGER ? less + 1 : n);
      }
    }
    const used = (end - start - 2) * 8 - bits.at;
    must(used >= 0 && used < 8 && bits.read(used) === 0, "a block that does not end as it should");
    if (sum) must(gaps!.best(n - 1) && counts!.best(n), "orders other than the shortest");
    return run;
  }
}

/** Tells whether an order is the smallest of those that are best for some numbers. */
class Orders {
  private before = 0;
  private here = 0;
  private after = 0;

  constructor(private readonly order: number) {}

  add(length: number): void {
    if (length < this.order) this.before++;
    if (length <= this.order) this.here++;
    if (length <= this.order + 1) this.after++;
  }

  /** With order k a number of up to k bits takes k+1, and one of l bits more 2l-k: one order more costs a bit or saves one. */
  best(n: number): boolean {
    const { order } = this;
    return (order === 0 || this.before + this.here < n) && (order === maxOrder || this.here + this.after >= n);
  }
}

/** Reads the body of an exact sketch. */
export function readExact(body: Uint8Array, bounds: Rect | undefined, categories: boolean, total: bigint): Section[] {
  if (!bounds) {
    must(body.length === 0 && total === 0n, "cells without bounds");
    return [];
  }
  const r = new Bytes(body, "the cells");
  const a = keyOf(bounds.x0, bounds.y0).region;
  const b = keyOf(bounds.x1, bounds.y1).region;
  const sections: Section[] = [];
  if (!categories && a.x === b.x && a.y === b.y) {
    const cells = r.number();
    mayHold(cells, r.left, total);
    sections.push(new Section(undefined, a, cells, total, r.take(r.left), bounds));
  } else {
    const n = r.number();
    must(n > 0 && n <= r.left, `${n} sections`);
    const heads: { label: Label; cells: number; points: bigint; length: number }[] = [];
    let lengths = 0;
    const sum = new Sum();
    for (let i = 0; i < n; i++) {
      const label = readLabel(r, categories);
      const cells = r.number();
      const points = r.big();
      const length = i + 1 < n ? r.number(2 ** 31) : r.left - lengths;
      lengths += length;
      must(length > 0 && (i === 0 || compareLabels(heads[i - 1]!.label, label) < 0), "sections that are not in order");
      mayHold(cells, length, points);
      sum.add(points);
      heads.push({ label, cells, points, length });
    }
    must(lengths === r.left && sum.exact === total, "sections that do not add up");
    for (const { label, cells, points, length } of heads) {
      sections.push(new Section(label.category, label.region, cells, points, r.take(length), bounds));
    }
  }
  checkTight(sections, bounds);
  return sections;
}

/** A cell takes two bits at least. */
function mayHold(cells: number, bytes: number, points: bigint): void {
  must(cells > 0 && cells <= bytes * 4 && BigInt(cells) <= points, `${cells} cells with ${points} points in ${bytes} bytes`);
}

function checkTight(sections: Section[], bounds: Rect): void {
  const all = sections.map((s) => s.around).reduce(join);
  must(all.x0 === bounds.x0 && all.y0 === bounds.y0 && all.x1 === bounds.x1 && all.y1 === bounds.y1, "bounds that are not tight");
}

/** What a section is about. */
export interface Label {
  category: Uint8Array | undefined;
  region: Region;
}

/** Regions reach to the cells of index 2^53. */
const mostRegion = 1n << 22n;

export function readLabel(r: Bytes, categories: boolean): Label {
  const category = categories ? r.take(r.number()) : undefined;
  const region = (): number => {
    const v = r.signed();
    must(v >= -mostRegion && v <= mostRegion, "a region beyond any cell");
    return Number(v);
  };
  return { category, region: { x: region(), y: region() } };
}

export function compareLabels(a: Label, b: Label): number {
  return compareBytes(a.category, b.category) || a.region.y - b.region.y || a.region.x - b.region.x;
}

function compareBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): number {
  if (!a || !b) return 0;
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** The count of the cell with a key in a section. */
export function countAt(s: Parts, high: number, low: number): number {
  const part = lower(0, s.high.length, (i) => compareKeys(s.high[i]!, s.low[i]!, high, low) > 0) - 1;
  if (part < 0) return 0;
  const run = s.read(part);
  const i = lower(0, run.n, (j) => compareKeys(run.high[j]!, run.low[j]!, high, low) >= 0);
  return i < run.n && run.high[i] === high && run.low[i] === low ? run.count[i]! : 0;
}
