import { type Must, partOf, Reader } from "./bytes.js";
import { Grid, type Rect } from "./grid.js";
import { additive, categorised, type Header, saturated, withTotals } from "./header.js";

const must: Must = partOf("its parameters");

export type Form = "exact" | "dense" | "tree";
const forms = ["", "exact", "dense", "tree"] as const;

const inSums = 4;
const fromFirst = 8;
const hasBytes = 16;
const toCounters = 32;
const noBounds = 64;
const hasK = 128;
const hasWidths = 256;
const hasSizes = 512;
const hasBase = 1024;
const hasParts = 2048;
const hasLeast = 4096;
const allFields = 8191;
const onlyOfCounters = inSums | fromFirst | hasK | hasWidths | hasBase;

/** The largest value of atLeast. */
const mostLeast = 2 ** 32;

const defaultBytes = 2 ** 20;
const leastBytes = 256;
const mostBytes = 2 ** 30;
const defaultK = 4;
const mostLevels = 24;

/** The parameters of a ccbf sketch. */
export interface Params {
  form: Form;
  grid: Grid;
  /** The box of the cells that can have a count; undefined if no cell can. */
  bounds: Rect | undefined;
  bytes: number;
  mode: "mi" | "standard";
  overflow: "tree" | "counters";
  k: number;
  widths: number[];
  counters: number[];
  base: number;
  categories: boolean;
  /** The fewest points of a leaf of a tree that was suppressed, and how many were dropped; 0 otherwise. */
  atLeast: number;
  suppressed: number;
  /** The sketch has categories, and also answers queries without a category. */
  totals: boolean;
}

export function readParams(h: Header): Params {
  const r = new Reader(h.params);
  const fields = r.number(allFields);
  const has = (field: number): boolean => (fields & field) > 0;
  /** Reads a parameter. A parameter with its usual value is left out of the BLOB. */
  const optional = <T>(field: number, usual: T, read: () => T): T => {
    if (!has(field)) return usual;
    const v = read();
    must(String(v) !== String(usual));
    return v;
  };
  const form = forms[fields & 3] || undefined;
  must(form !== undefined);
  const res = r.decimal();
  must(res >= 2 ** -1022 && res < Infinity);
  const bounds = has(noBounds) ? undefined : readBounds(r);
  const bytes = optional(hasBytes, defaultBytes, () => r.number(mostBytes));
  const mode = has(inSums) ? "standard" : "mi";
  const k = optional(hasK, defaultK, () => r.byte());
  const widths = optional(hasWidths, mode === "mi" ? [4, 8, 16, 32] : [8, 16, 32], () => [...r.take(r.byte())]);
  must(widths.length > 0 && widths.length <= 8 && widths.every((w, i) => w >= (widths[i - 1] ?? 2)));
  must(widths.reduce((a, w) => a + w - 1, 0) <= 63);
  const counters = optional(hasSizes, sizesFor(widths, bytes), () => widths.map(() => r.number(2 ** 32)));
  must(counters.length > 0 && counters.every((m, i) => m > 0 && (i === 0 || (m < counters[i - 1]! && counters[i - 1]! % m === 0))));
  const base = optional(hasBase, 0, () => r.byte());
  if (has(hasParts)) must(r.byte() % 64 > 0 && r.byte() > 0 && form === "dense" && mode === "mi");
  const atLeast = has(hasLeast) ? r.number(mostLeast) : 0;
  const suppressed = has(hasLeast) ? Number(r.big()) : 0;
  r.done();
  must(!has(hasLeast) || (form === "tree" && atLeast >= 2));
  must(k > 0 && k <= 32 && h.levels + base <= mostLevels && layerBytes(widths, counters).reduce((a, b) => a + b) <= bytes);
  must(has(toCounters) || (!has(onlyOfCounters) && h.levels === 0));

  const sums = (h.flags & additive) > 0;
  const known = h.total !== undefined;
  const categories = (h.flags & categorised) > 0;
  const totals = (h.flags & withTotals) > 0;
  must(categories || (!totals && h.keyClass === 0n));
  must(form === "dense" ? (has(inSums) ? sums || !known : !sums) : !(h.flags & saturated));
  must(form !== "tree" || (sums === known && !has(toCounters)));
  must(form !== "exact" || (sums && known && !has(fromFirst) && h.body.length <= bytes));
  return {
    form,
    grid: new Grid(res),
    bounds,
    bytes,
    mode,
    overflow: has(toCounters) ? "counters" : "tree",
    k,
    widths,
    counters,
    base,
    atLeast,
    suppressed,
    categories,
    totals,
  };
}

function readBounds(r: Reader): Rect {
  const x = r.signed();
  const y = r.signed();
  const right = x + r.big();
  const top = y + r.big();
  const most = 2n ** 53n;
  must(x + most >= -1 && y + most >= -1 && right <= most && top <= most);
  return { x0: Number(x), y0: Number(y), x1: Number(right), y1: Number(top) };
}

/** The numbers of counters of the layers for a size of bytes in all. The list is empty if no sizes follow from bytes. */
function sizesFor(widths: number[], bytes: number): number[] {
  if (bytes < leastBytes) return [];
  const ratio = 2 ** Math.ceil(Math.log2(2 * widths[0]!));
  // The bits of eight layers can exceed 2^53, so they are a bigint.
  const unit = widths.reduce((sum, w) => sum * BigInt(ratio) + BigInt(w), 0n);
  const last = Number((BigInt(bytes - 8 * widths.length) * 8n) / unit);
  if (last === 0) return [];
  const step = 2 ** Math.max(0, Math.floor(Math.log2(last)) - 4);
  return widths.map((_, i) => (last - (last % step)) * ratio ** (widths.length - 1 - i));
}

/** The bytes of each layer, a multiple of 8. */
export function layerBytes(widths: number[], counters: number[]): number[] {
  return widths.map((w, i) => Math.ceil((w * counters[i]!) / 64) * 8);
}
