import { Bits } from "./bits.js";
import { atMost, full, joined, type Must, partOf, Reader } from "./bytes.js";
import { type Code, countTableOf, levelOf, maxLevel, quarterTableOf, readCode, rootTable } from "./code.js";
import { inOrder, type Label, readLabel } from "./exact.js";
import { type Rect, squareAt } from "./grid.js";
import { around, grouped, type Item, type Section } from "./items.js";
import { cellX, cellY, type Region } from "./zorder.js";

const must: Must = partOf("its leaves");

const split = 3;
const stretchOrder = 10;
/** Every packet has fewer leaves than this: it ends with the subtree that has its 256th leaf. */
const mostPacket = 256 + 256 + 4;
const mostThreshold = 975;
const mostSheets = maxLevel + 1;
const mostPacketBytes = 2 ** 14;

/** Reads a sheet of leaves that do not overlap, in packets, from r. All are checked. */
function readSheet(
  r: Reader,
  code: Code,
  region: Region,
  bounds: Rect,
  atLeast: number,
): { items: Item[]; leaves: number; points: bigint } {
  const leaves = r.number();
  const n = r.number();
  must(n > 0 && n <= r.left() / 4 && leaves >= n && leaves <= n * mostPacket);
  const side = BigInt(2 * code.root);
  const packets: { key: bigint; points: bigint; start: number; end: number }[] = [];
  let key = 0n;
  let end = 0;
  for (let i = 0; i < n; i++) {
    const step = r.big();
    const points = r.big();
    const start = end;
    key += step << side;
    end += r.number(mostPacketBytes - 1);
    must(key <= full && (step > 0n || i === 0) && points > 0n && end > start);
    packets.push({ key, points, start, end });
  }
  const data = r.take(end);

  const readPacket = (i: number): { items: Item[]; points: bigint } => {
    const { key, start, end } = packets[i]!;
    const bits = new Bits(data.subarray(start, end));
    const items: Item[] = [];
    let sumHigh = 0;
    let sumLow = 0;
    /** The last key of the subtree read last. */
    let last = -1n;

    const readLeaf = (x: number, y: number, level: number, several: boolean): void => {
      let least = 1;
      bits.long(0, 0);
      if (several) {
        const symbol = code.tables[countTableOf(level)]!(bits);
        must(symbol < 69);
        least = 2;
        if (symbol < 8) bits.low = symbol;
        else bits.long(symbol - 5, 1);
        must(bits.high < 2 ** 32 - 1 || bits.low < 2 ** 32 - 2);
      }
      sumHigh += bits.high;
      sumLow += bits.low + least;
      const { x0, y0, x1, y1 } = squareAt(x, y, 2 ** level);
      const count = bits.high * 2 ** 32 + bits.low + least;
      must(items.length < mostPacket && count >= atLeast && x0 <= bounds.x1 && x1 >= bounds.x0 && y0 <= bounds.y1 && y1 >= bounds.y0);
      items.push({ x0, y0, x1, y1, count, parts: undefined });
    };

    const readSplit = (x: number, y: number, level: number): void => {
      const symbol = code.tables[quarterTableOf(level)]!(bits);
      must(symbol > 0 && symbol < 256 && (level > 1 || (symbol & (symbol >> 1) & 0x55) === 0));
      for (let q = 0; q < 4; q++) {
        const quarter = (symbol >> (2 * q)) & 3;
        const x2 = x + (q & 1) * 2 ** (level - 1);
        const y2 = y + (q >> 1) * 2 ** (level - 1);
        if (quarter === split) readSplit(x2, y2, level - 1);
        else if (quarter > 0) readLeaf(x2, y2, level - 1, quarter === 2);
      }
    };

    /** Reads subtrees up to a bit; the first one is at a key. */
    const readStretch = (key: bigint, to: number): void => {
      must(last < key && key <= full && bits.at <= to);
      for (let first = true; first || bits.at < to; first = false) {
        const symbol = code.tables[rootTable]!(bits);
        const level = levelOf(symbol, code.root);
        must(level <= maxLevel);
        const side = BigInt(2 * level);
        if (!first) {
          bits.code(code.orders[level] ?? 0);
          key = ((last >> side) + 1n + joined(bits.high, bits.low)) << side;
        }
        last = key | ((1n << side) - 1n);
        must(last <= full && (key >> side) << side === key);
        const high = Number(key >> 32n);
        const low = Number(key & 0xffffffffn);
        const x = cellX(region, high, low);
        const y = cellY(region, high, low);
        if (symbol === 0) readSplit(x, y, level);
        else readLeaf(x, y, level, symbol % 2 === 0);
        must(bits.at <= to);
      }
    };

    const two = bits.read(1) === 1;
    const to = (end - start) * 8 - bits.read(3);
    if (two) {
      bits.code(code.steps);
      const second = key + ((joined(bits.high, bits.low) + 1n) << side);
      bits.code(stretchOrder);
      must(bits.high === 0);
      readStretch(key, bits.at + bits.low);
      readStretch(second, to);
    } else {
      readStretch(key, to);
    }
    bits.at = to;
    must((i + 1 === n || last < packets[i + 1]!.key) && bits.read((end - start) * 8 - to) === 0);
    return { items, points: atMost(joined(sumHigh, sumLow)) };
  };

  let found = 0;
  let sum = 0n;
  const items = packets.map(({ points }, i) => {
    const packet = readPacket(i);
    must(packet.points === points);
    found += packet.items.length;
    sum += points;
    return around(packet.items, () => grouped(readPacket(i).items));
  });
  must(found === leaves);
  return { items: grouped(items), leaves, points: sum };
}

export interface Tree {
  /** The sections of the tree, one for each sheet. */
  sections: Section[];
  threshold: number;
  /** The number of distinct cells when the tree was pruned, counted once for each category; undefined if it is not known. */
  cells: number | undefined;
  leaves: number;
}

/** Reads the body of a tree. */
export function readTree(
  body: Uint8Array,
  bounds: Rect | undefined,
  categories: boolean,
  atLeast: number,
  total: bigint | undefined,
): Tree {
  const r = new Reader(body);
  const index = r.number(mostThreshold);
  const pruned = r.big();
  const known = pruned > 0n;
  const sampled = pruned === 1n;
  const cells = sampled ? r.big() : pruned - 1n;
  if (known) r.big(); // skips the excess, which is not used
  const n = r.number();
  must(n <= r.left() / 4);
  const heads: (Label & { sheets: number })[] = [];
  let several = false;
  for (let i = 0; i < n; i++) {
    const head = { ...readLabel(r, categories), sheets: r.number(mostSheets) };
    must(head.sheets > 0 && (i === 0 || inOrder(heads[i - 1]!, head)));
    several ||= head.sheets > 1;
    heads.push(head);
  }
  const code = readCode(r.take(r.number()));
  const sections: Section[] = [];
  let sum = 0n;
  let leaves = 0;
  for (const { category, region, sheets } of heads) {
    for (let i = 0; i < sheets; i++) {
      must(bounds !== undefined);
      const sheet = readSheet(r, code, region, bounds, atLeast);
      leaves += sheet.leaves;
      sum += sheet.points;
      sections.push({ category, points: sheet.points, items: sheet.items });
    }
  }
  r.done();
  sum = atMost(sum);
  must(total === undefined || total === sum);
  must(!known || (cells >= leaves && cells <= sum && (sampled || !several)));
  const threshold = index < 16 ? index : (16 + (index % 16)) * 2 ** (Math.floor(index / 16) - 1);
  return { sections, threshold, cells: known && !sampled ? Number(cells) : undefined, leaves };
}
