import { Bits, maxOrder } from "./bits.js";
import { type Must, partOf } from "./bytes.js";

const must: Must = partOf("the code of its leaves");

/** The highest level of a leaf. */
export const maxLevel = 31;

const maxRoot = 4;
const lowRoot = 1;
const maxSymbols = 256;
const maxLength = 11;

/** The tables: for roots; for quarters of squares of level 1, 2 and above; for counts of leaves of level 0 to 4 and above. */
export const rootTable = 0;
const quarterTable = 1;
const countTable = 4;
const tables = 10;
export const quarterTableOf = (level: number): number => quarterTable + Math.min(level, 3) - 1;
export const countTableOf = (level: number): number => countTable + Math.min(level, 5);

/** The widths of the fields of a code. */
const rootBits = 3;
const orderBits = 6;
const lengthBits = 4;
const usedOrder = 3;
const nextOrder = 0;

/** The result of a table without symbols. */
const noSymbol = 4095;

/** Reads a symbol. */
type Table = (bits: Bits) => number;

/** How the sheets of a tree are written. */
export interface Code {
  root: number;
  /** The order of the class code for the steps between stretches. */
  steps: number;
  tables: Table[];
  /** The orders of the class code for gaps, by level. */
  orders: number[];
}

export function readCode(b: Uint8Array): Code {
  const bits = new Bits(b);
  const root = bits.read(rootBits);
  const steps = bits.read(orderBits);
  must((root === lowRoot || root === maxRoot) && steps <= maxOrder);
  const code: Code = { root, steps, tables: [], orders: [] };
  const levels = new Set<number>();
  for (let t = 0; t < tables; t++) {
    if (t > quarterTable && t !== countTable && bits.read(1) === 1) {
      code.tables.push(code.tables[t - 1]!);
      continue;
    }
    const { used, table } = readTable(bits);
    if (t === rootTable) for (const symbol of used) levels.add(levelOf(symbol, root));
    code.tables.push(table);
  }
  for (let level = root; level <= maxLevel; level++) {
    if (!levels.has(level)) continue;
    const order = bits.read(orderBits);
    must(order <= maxOrder);
    code.orders[level] = order;
  }
  must(bits.at <= b.length * 8);
  return code;
}

/** The level of a subtree, by the symbol of its root. */
export const levelOf = (symbol: number, root: number): number => root + (Math.max(symbol - 1, 0) >> 1);

/** Reads the canonical Huffman code of a table. */
function readTable(bits: Bits): { used: number[]; table: Table } {
  bits.code(usedOrder);
  const n = bits.low;
  must(bits.high === 0 && n <= maxSymbols);
  const used: number[] = [];
  const lengths: number[] = [];
  let room = 2 ** maxLength;
  for (let i = 0; i < n; i++) {
    bits.code(nextOrder);
    used.push((used[i - 1] ?? -1) + 1 + bits.low);
    lengths.push(n > 1 ? bits.read(lengthBits) : 0);
    room -= 2 ** (maxLength - lengths[i]!);
    must(bits.high === 0 && used[i]! < maxSymbols && lengths[i]! <= maxLength);
  }
  must(n === 0 || room === 0);
  // An entry for each value of the next bits, of which the first is the lowest: the symbol times 16, plus the length of its code.
  const longest = Math.max(0, ...lengths);
  const words = new Uint16Array(2 ** longest).fill(noSymbol << 4);
  let next = 0;
  for (const i of used.map((_, i) => i).sort((a, b) => lengths[a]! - lengths[b]!)) {
    for (const last = next + 2 ** (longest - lengths[i]!); next < last; next++) {
      let turned = 0;
      for (let bit = 0; bit < longest; bit++) turned |= ((next >> bit) & 1) << (longest - 1 - bit);
      words[turned] = (used[i]! << 4) | lengths[i]!;
    }
  }
  return {
    used,
    table(bits) {
      const w = words[bits.peek() & (words.length - 1)]!;
      bits.at += w & 15;
      return w >> 4;
    },
  };
}
