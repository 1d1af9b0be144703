import { Bits, maxOrder } from "./bits.js";
import { must } from "./bytes.js";

/** The highest level of a leaf. */
export const maxLevel = 31;

export const maxRoot = 4;
export const lowRoot = 1;
export const maxSymbols = 256;
export const maxLength = 11;

/** The tables: for roots; for quarters of squares of level 1, 2 and above; for counts of leaves of level 0 to 4 and above. */
export const rootTable = 0;
export const quarterTable = 1;
export const countTable = 4;
export const tables = 10;
export const quarterTableOf = (level: number): number => quarterTable + Math.min(level, 3) - 1;
export const countTableOf = (level: number): number => countTable + Math.min(level, 5);

/** The widths of the fields of a code. */
export const rootBits = 3;
export const orderBits = 6;
export const lengthBits = 4;
export const usedOrder = 3;
export const nextOrder = 0;

/** What a table without symbols reads. */
const noSymbol = 4095;

/** Words of a Huffman code: for the next bits a symbol times 16 and its length. */
export class Table {
  private readonly words: Uint16Array;
  private readonly mask: number;

  constructor(used: readonly number[], lengths: readonly number[]) {
    if (used.length < 2) {
      this.words = Uint16Array.of((used[0] ?? noSymbol) << 4);
      this.mask = 0;
      return;
    }
    const longest = Math.max(...lengths);
    this.mask = 2 ** longest - 1;
    this.words = new Uint16Array(2 ** longest);
    for (const [symbol, word] of wordsOf(used, lengths).entries()) {
      const length = lengths[symbol]!;
      for (let w = word; w <= this.mask; w += 2 ** length) this.words[w] = (used[symbol]! << 4) | length;
    }
  }

  read(bits: Bits): number {
    const w = this.words[bits.peek() & this.mask]!;
    bits.at += w & 15;
    return w >> 4;
  }
}

/** The words of the canonical code, the first bit lowest. */
export function wordsOf(used: readonly number[], lengths: readonly number[]): number[] {
  let word = 0;
  let length = 0;
  const words: number[] = [];
  const order = used.map((_, i) => i).sort((a, b) => lengths[a]! - lengths[b]! || used[a]! - used[b]!);
  for (const i of order) {
    word <<= lengths[i]! - length;
    length = lengths[i]!;
    let turned = 0;
    for (let bit = 0; bit < length; bit++) turned |= ((word >> bit) & 1) << (length - 1 - bit);
    words[i] = turned;
    word++;
  }
  return words;
}

/** How the sheets of a tree are written. */
export interface Code {
  root: number;
  /** The order of the steps between stretches. */
  steps: number;
  tables: Table[];
  /** Of the gaps, by level. */
  orders: number[];
}

export function readCode(b: Uint8Array): Code {
  const bits = new Bits(b);
  const root = bits.read(rootBits);
  const steps = bits.read(orderBits);
  must((root === lowRoot || root === maxRoot) && steps <= maxOrder, `a tree of root level ${root}, steps of order ${steps}`);
  const code: Code = { root, steps, tables: [], orders: [] };
  let roots: number[] = [];
  for (let t = 0; t < tables; t++) {
    if (t > quarterTable && t !== countTable && bits.read(1) === 1) {
      code.tables.push(code.tables[t - 1]!);
      continue;
    }
    const { used, lengths } = readTable(bits);
    if (t === rootTable) roots = used;
    code.tables.push(new Table(used, lengths));
  }
  for (let level = root; level <= maxLevel; level++) {
    if (!hasRoots(roots, root, level)) continue;
    const order = bits.read(orderBits);
    must(order <= maxOrder, `gaps of order ${order}`);
    code.orders[level] = order;
  }
  bits.within(b.length * 8);
  return code;
}

/** Whether there are subtrees of a level. */
export function hasRoots(used: readonly number[], root: number, level: number): boolean {
  return used.some((s) => (s === 0 ? level === root : ((s - 1) >> 1) + root === level));
}

function readTable(bits: Bits): { used: number[]; lengths: number[] } {
  bits.code(usedOrder);
  const n = bits.low;
  must(bits.high === 0 && n <= maxSymbols, "a table of too many symbols");
  const used: number[] = [];
  const lengths: number[] = [];
  let room = n > 1 ? 2 ** maxLength : 0;
  for (let i = 0; i < n; i++) {
    bits.code(nextOrder);
    const symbol = (i > 0 ? used[i - 1]! + 1 : 0) + bits.low;
    must(bits.high === 0 && symbol < maxSymbols, "a symbol beyond the last");
    used.push(symbol);
    if (n === 1) break;
    const length = bits.read(lengthBits);
    must(length > 0 && length <= maxLength, "a word of no length");
    lengths.push(length);
    room -= 2 ** (maxLength - length);
  }
  must(room === 0, "a table whose words do not add up");
  return { used, lengths };
}
