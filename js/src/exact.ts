import { Bits, maxOrder } from "./bits.js";
import { atMost, full, joined, type Must, partOf, Reader, view } from "./bytes.js";
import type { Rect } from "./grid.js";
import { around, emptyGroup, grouped, include, type Item, type Section } from "./items.js";
import { cellX, cellY, lowestKey, type Region, regionOf } from "./zorder.js";

const must: Must = partOf("its cells");

const blockCells = 128;
const entryBytes = 12;

/** Reads a list of cells in a region, which are in blocks behind an index. All are checked. */
function readList(list: Uint8Array, region: Region, cells: number, points: bigint, bounds: Rect): Item[] {
  const r = new Reader(list);
  const keys: bigint[] = [];
  const ends: number[] = [];
  if (cells > blockCells) {
    const n = Math.ceil(cells / blockCells);
    const index = view(r.take(n * entryBytes));
    for (let at = 0; at < n * entryBytes; at += entryBytes) {
      keys.push(index.getBigUint64(at, true));
      ends.push(index.getUint32(at + 8, true));
    }
  } else {
    keys.push(lowestKey(bounds, region) + r.big());
    ends.push(r.left());
  }
  const data = r.rest();
  must(keys[0]! <= full && ends[ends.length - 1] === data.length);

  /** Calls visit for the cells of a block. Returns its last key and its points. */
  const readBlock = (i: number, visit: (x: number, y: number, count: number) => void): { last: bigint; points: bigint } => {
    const start = i > 0 ? ends[i - 1]! : 0;
    const end = ends[i]!;
    must(end >= start + 2 && end <= data.length);
    const gapOrder = data[start]!;
    const countOrder = data[start + 1]!;
    must(gapOrder <= maxOrder && countOrder <= maxOrder);
    const bits = new Bits(data.subarray(start + 2, end));
    let high = Number(keys[i]! >> 32n);
    let low = Number(keys[i]! & 0xffffffffn);
    let sumHigh = 0;
    let sumLow = 0;
    const gaps = new Lengths(gapOrder);
    const counts = new Lengths(countOrder);
    const n = Math.min(blockCells, cells - i * blockCells);
    for (let cell = 0; cell < n; cell++) {
      if (cell > 0) {
        bits.code(gapOrder);
        gaps.add(bits);
        low += bits.low + 1;
        high += bits.high;
        if (low >= 2 ** 32) {
          low -= 2 ** 32;
          high++;
        }
        must(high < 2 ** 32);
      }
      bits.code(countOrder);
      counts.add(bits);
      must(bits.high + bits.low < 2 * (2 ** 32 - 1));
      sumHigh += bits.high;
      sumLow += bits.low + 1;
      visit(cellX(region, high, low), cellY(region, high, low), bits.high * 2 ** 32 + bits.low + 1);
    }
    const padding = (end - start - 2) * 8 - bits.at;
    must(padding >= 0 && padding < 8 && bits.read(padding) === 0 && gaps.areBest() && counts.areBest());
    return { last: joined(high, low), points: joined(sumHigh, sumLow) };
  };

  let last = -1n;
  let sum = 0n;
  const blocks = keys.map((key, i) => {
    must(key > last);
    const block = emptyGroup(() => {
      const items: Item[] = [];
      readBlock(i, (x, y, count) => items.push({ x0: x, y0: y, x1: x, y1: y, count, parts: undefined }));
      return items;
    });
    const read = readBlock(i, (x, y, count) => include(block, x, y, x, y, count));
    last = read.last;
    sum += read.points;
    return block;
  });
  must(atMost(sum) === points);
  return grouped(blocks);
}

/** Counts numbers by their lengths, to tell whether an order of the class code is the smallest of the best orders for them. */
class Lengths {
  private below = 0;
  private equal = 0;
  private oneMore = 0;
  private longer = 0;

  constructor(private readonly order: number) {}

  add(v: Bits): void {
    const length = v.high > 0 ? 64 - Math.clz32(v.high) : 32 - Math.clz32(v.low);
    if (length < this.order) this.below++;
    else if (length === this.order) this.equal++;
    else if (length === this.order + 1) this.oneMore++;
    else this.longer++;
  }

  /** With order k a number of up to k bits takes k+1, and one of l bits more 2l-k: one order more costs a bit or saves one. */
  areBest(): boolean {
    const { order, below, equal, oneMore, longer } = this;
    return (order === 0 || below < oneMore + longer) && (order === maxOrder || below + equal >= longer);
  }
}

/** Reads the body of an exact sketch. Also returns its number of cells. */
export function readExact(
  body: Uint8Array,
  bounds: Rect | undefined,
  categories: boolean,
  total: bigint,
): { sections: Section[]; cells: number } {
  const sections: Section[] = [];
  let all = 0;
  if (!bounds) {
    must(body.length === 0 && total === 0n);
    return { sections, cells: all };
  }
  const r = new Reader(body);
  const first: Region = { x: regionOf(bounds.x0), y: regionOf(bounds.y0) };
  const single = !categories && regionOf(bounds.x1) === first.x && regionOf(bounds.y1) === first.y;
  const n = single ? 1 : r.number();
  must(n > 0 && n <= r.left());
  const heads: { label: Label; cells: number; points: bigint; length: number }[] = [];
  let lengths = 0;
  let sum = 0n;
  for (let i = 0; i < n; i++) {
    const label = single ? { category: undefined, region: first } : readLabel(r, categories);
    const cells = r.number();
    const points = single ? total : r.big();
    const length = i + 1 < n ? r.number(2 ** 31) : r.left() - lengths;
    // A cell takes at least two bits, so a list of length bytes has at most length * 4 cells.
    must(cells > 0 && cells <= length * 4 && points >= cells && (i === 0 || inOrder(heads[i - 1]!.label, label)));
    lengths += length;
    sum += points;
    all += cells;
    heads.push({ label, cells, points, length });
  }
  must(lengths === r.left() && atMost(sum) === total);
  for (const { label, cells, points, length } of heads) {
    sections.push({ category: label.category, points, items: readList(r.take(length), label.region, cells, points, bounds) });
  }
  const tight = around(sections.flatMap((s) => s.items), () => []);
  must(tight.x0 === bounds.x0 && tight.y0 === bounds.y0 && tight.x1 === bounds.x1 && tight.y1 === bounds.y1);
  return { sections, cells: all };
}

/** The region and the category of a section. */
export interface Label {
  category: Uint8Array | undefined;
  region: Region;
}

/** Regions reach to the cells of index 2^53. */
const mostRegion = 2 ** 22;

export function readLabel(r: Reader, categories: boolean): Label {
  const category = categories ? r.take(r.number()) : undefined;
  const region = { x: Number(r.signed()), y: Number(r.signed()) };
  must(Math.max(Math.abs(region.x), Math.abs(region.y)) <= mostRegion);
  return { category, region };
}

/** Whether a section comes before another. */
export function inOrder(a: Label, b: Label): boolean {
  return (compareBytes(a.category, b.category) || a.region.y - b.region.y || a.region.x - b.region.x) < 0;
}

function compareBytes(a: Uint8Array = new Uint8Array(0), b: Uint8Array = a): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
