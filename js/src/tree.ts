import { Bits } from "./bits.js";
import { Bytes, full, joined, must, Sum } from "./bytes.js";
import { type Code, countTableOf, maxLevel, quarterTableOf, readCode, rootTable } from "./code.js";
import { compareLabels, type Label, readLabel } from "./exact.js";
import { isEmpty, meet, type Rect } from "./grid.js";
import { lower, type Parts } from "./walk.js";
import { compareKeys, lastOf, newRun, quarterOf, type Region, type Run, squareAt } from "./zorder.js";

const split = 3;
/** A packet has fewer leaves: it ends with the subtree that has its 256th. */
const mostPacket = 256 + 256 + 4;
const mostThreshold = 975;
const mostSheets = maxLevel + 1;
const mostPacketBytes = 2 ** 14;

/** Leaves of a tree that do not overlap, in packets. */
export class Sheet implements Parts {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly total: Float64Array;
  readonly points: bigint;
  readonly leaves: number;
  private readonly exact: bigint[] = [];
  private readonly ends: number[] = [];
  private readonly data: Uint8Array;

  constructor(
    readonly region: Region,
    private readonly code: Code,
    r: Bytes,
  ) {
    this.leaves = r.number();
    const n = r.number();
    must(n > 0 && n <= r.left / 4 && this.leaves >= n && this.leaves <= n * mostPacket, `${this.leaves} leaves in ${n} packets`);
    this.high = new Uint32Array(n);
    this.low = new Uint32Array(n);
    this.total = new Float64Array(n);
    const side = BigInt(2 * code.root);
    const sum = new Sum();
    let key = 0n;
    let end = 0;
    for (let i = 0; i < n; i++) {
      const step = r.big();
      const points = r.big();
      const length = r.number(mostPacketBytes - 1);
      key += step << side;
      must(key <= full && (step > 0n || i === 0) && points > 0n && length > 0, "a packet that cannot be");
      end += length;
      must(end <= r.left, "packets beyond the end");
      this.high[i] = Number(key >> 32n);
      this.low[i] = Number(key & 0xffffffffn);
      this.total[i] = Number(points);
      this.exact.push(points);
      this.ends.push(end);
      sum.add(points);
    }
    this.points = sum.exact;
    this.data = r.take(end);
  }

  /** Reads all leaves once. Each has a cell inside bounds. */
  check(bounds: Rect, atLeast: number): void {
    let leaves = 0;
    for (let i = 0; i < this.high.length; i++) {
      const sum = new Sum();
      const run = this.decode(i, sum);
      leaves += run.n;
      must(sum.exact === this.exact[i], "a packet whose points do not add up");
      for (let j = 0; j < run.n; j++) {
        const square = squareAt(this.region, run.high[j]!, run.low[j]!, run.level[j]!);
        must(!isEmpty(meet(square, bounds)), "a leaf out of bounds");
        must(run.count[j]! >= atLeast, `a leaf of fewer than ${atLeast} points`);
      }
    }
    must(leaves === this.leaves, `${leaves} leaves, and not ${this.leaves}`);
  }

  read(i: number): Run {
    return this.decode(i);
  }

  private decode(i: number, sum?: Sum): Run {
    const start = i > 0 ? this.ends[i - 1]! : 0;
    const bytes = this.data.subarray(start, this.ends[i]);
    const bits = new Bits(bytes);
    const two = bits.read(1) === 1;
    const end = bytes.length * 8 - bits.read(3);
    const run = newRun(mostPacket);
    const reader = new PacketReader(this.code, bits, run, sum);
    const first = (BigInt(this.high[i]!) << 32n) | BigInt(this.low[i]!);
    let middle = end;
    let second = 0n;
    if (two) {
      bits.code(this.code.steps);
      const step = (BigInt(bits.high) << 32n) | BigInt(bits.low);
      second = first + ((step + 1n) << BigInt(2 * this.code.root));
      bits.code(10);
      must(second <= full && bits.high === 0, "a stretch beyond the last key");
      middle = bits.at + bits.low;
    }
    must(bits.at <= middle && middle <= end, "stretches beyond their packet");
    reader.stretch(this.high[i]!, this.low[i]!, middle);
    if (two) {
      const high = Number(second >> 32n);
      const low = Number(second & 0xffffffffn);
      reader.notAfter(high, low);
      reader.stretch(high, low, end);
    }
    if (i + 1 < this.high.length) reader.notAfter(this.high[i + 1]!, this.low[i + 1]!);
    bits.at = end;
    must(bits.read(bytes.length * 8 - end) === 0, "bits after the last subtree");
    return run;
  }
}

/** Reads the leaves of a packet into a run. */
class PacketReader {
  /** The last key of the subtree read last. */
  private high = 0;
  private low = 0;

  constructor(
    private readonly code: Code,
    private readonly bits: Bits,
    private readonly run: Run,
    private readonly sum: Sum | undefined,
  ) {}

  /** Throws unless the subtrees so far end before a key. */
  notAfter(high: number, low: number): void {
    must(compareKeys(this.high, this.low, high, low) < 0, "subtrees that are not in order");
  }

  /** Reads subtrees up to a bit; the first one is at a key. */
  stretch(high: number, low: number, end: number): void {
    const { bits, code } = this;
    let begun = false;
    do {
      const symbol = code.tables[rootTable]!.read(bits);
      const level = symbol === 0 ? code.root : code.root + ((symbol - 1) >> 1);
      must(level <= maxLevel, "a root beyond the last level");
      if (begun) [high, low] = this.next(level);
      const [lastHigh, lastLow] = lastOf(high, low, level);
      must(lastOf(high, low, 0)[1] === low && isFirst(high, low, level), "a subtree that begins in a square");
      this.high = lastHigh;
      this.low = lastLow;
      if (symbol === 0) this.split(high, low, level);
      else this.leaf(high, low, level, symbol % 2 === 0);
      begun = true;
      bits.within(end);
    } while (bits.at < end);
  }

  /** The key of the next subtree, of a level: the gap is in whole squares after the last one. */
  private next(level: number): [number, number] {
    this.bits.code(this.code.orders[level] ?? 0);
    const side = BigInt(2 * level);
    const after = ((BigInt(this.high) << 32n) | BigInt(this.low)) + 1n;
    const squares = (after + (1n << side) - 1n) >> side;
    const key = (squares + ((BigInt(this.bits.high) << 32n) | BigInt(this.bits.low))) << side;
    must(key <= full, "a subtree beyond the last key");
    return [Number(key >> 32n), Number(key & 0xffffffffn)];
  }

  private leaf(high: number, low: number, level: number, several: boolean): void {
    const { run } = this;
    const i = run.n++;
    must(i < mostPacket, "a packet of too many leaves");
    run.high[i] = high;
    run.low[i] = low;
    run.level[i] = level;
    const n = several ? this.count(level) : 1;
    run.count[i] = Number(n);
    this.sum?.add(n);
  }

  /** A count of 2 or more. */
  private count(level: number): number | bigint {
    const symbol = this.code.tables[countTableOf(level)]!.read(this.bits);
    if (symbol < 8) return symbol + 2;
    const length = symbol - 5;
    must(length <= 63, "a count beyond 64 bits");
    const low = this.bits.read(Math.min(length, 32));
    const high = length > 32 ? this.bits.read(length - 32) : 0;
    const less = length < 32 ? low + 2 ** length : joined(high + 2 ** (length - 32), low);
    const n = typeof less === "number" && less < Number.MAX_SAFE_INTEGER - 1 ? less + 2 : BigInt(less) + 2n;
    must(n <= full, "a count beyond 64 bits");
    return n;
  }

  private split(high: number, low: number, level: number): void {
    const symbol = this.code.tables[quarterTableOf(level)]!.read(this.bits);
    must(symbol > 0 && symbol < 256 && (level > 1 || (symbol & (symbol >> 1) & 0x55) === 0), "quarters that cannot be");
    for (let q = 0; q < 4; q++) {
      const what = (symbol >> (2 * q)) & 3;
      if (what === 0) continue;
      const [h, l] = quarterOf(high, low, level, q);
      if (what === split) this.split(h, l, level - 1);
      else this.leaf(h, l, level - 1, what === 2);
    }
  }
}

/** Whether a key is the first of a square of a level. */
function isFirst(high: number, low: number, level: number): boolean {
  if (level <= 16) return low % 2 ** (2 * level) === 0;
  return low === 0 && high % 2 ** (2 * level - 32) === 0;
}

export interface TreeSection extends Label {
  sheets: Sheet[];
}

export interface Tree {
  sections: TreeSection[];
  threshold: number;
  /** Distinct cells when it was pruned, once for each category; undefined where that is not known. */
  cells: number | undefined;
  leaves: number;
  points: bigint;
}

/** Reads the body of a tree. */
export function readTree(body: Uint8Array, bounds: Rect | undefined, categories: boolean, atLeast: number): Tree {
  const r = new Bytes(body, "the tree");
  const index = r.number(mostThreshold);
  const pruned = r.big();
  const sampled = pruned === 1n;
  const cells = sampled ? r.big() : pruned - 1n;
  const known = pruned > 0n;
  if (known) r.big(); // the excess
  const n = r.number();
  must(n <= r.left / 4, `${n} sections`);
  const heads: (Label & { sheets: number })[] = [];
  for (let i = 0; i < n; i++) {
    const label = readLabel(r, categories);
    const sheets = r.number(mostSheets);
    must(sheets > 0 && (i === 0 || compareLabels(heads[i - 1]!, label) < 0), "sections that are not in order");
    heads.push({ ...label, sheets });
  }
  const code = readCode(r.take(r.number()));
  const sum = new Sum();
  let leaves = 0;
  let several = false;
  const sections = heads.map(({ category, region, sheets }) => {
    several ||= sheets > 1;
    const all: Sheet[] = [];
    while (all.length < sheets) {
      const sheet = new Sheet(region, code, r);
      leaves += sheet.leaves;
      sum.add(sheet.points);
      all.push(sheet);
    }
    return { category, region, sheets: all };
  });
  r.done();
  must(bounds !== undefined || sum.exact === 0n, "leaves without bounds");
  for (const s of sections) for (const sheet of s.sheets) sheet.check(bounds!, atLeast);
  if (known) must(cells >= BigInt(leaves) && cells <= sum.exact && (sampled || !several), `${leaves} leaves of ${cells} cells`);
  const threshold = index < 16 ? index : (16 + (index % 16)) * 2 ** (Math.floor(index / 16) - 1);
  return { sections, threshold, cells: known && !sampled ? Number(cells) : undefined, leaves, points: sum.exact };
}

/** The points of the leaves of a sheet that hold the cell with a key. */
export function countIn(s: Sheet, high: number, low: number): number {
  const part = lower(0, s.high.length, (i) => compareKeys(s.high[i]!, s.low[i]!, high, low) > 0) - 1;
  if (part < 0) return 0;
  const run = s.read(part);
  const i = lower(0, run.n, (j) => compareKeys(run.high[j]!, run.low[j]!, high, low) > 0) - 1;
  if (i < 0) return 0;
  const [lastHigh, lastLow] = lastOf(run.high[i]!, run.low[i]!, run.level[i]!);
  return compareKeys(high, low, lastHigh, lastLow) <= 0 ? run.count[i]! : 0;
}
