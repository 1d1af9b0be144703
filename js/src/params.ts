import { Bytes, must } from "./bytes.js";
import { Grid, type Rect } from "./grid.js";
import { additive, categorised, type Header, saturated, withTotals } from "./header.js";

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

/** What a suppressed tree can promise that each leaf has. */
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
  /** Undefined where no cell can have a count. */
  bounds: Rect | undefined;
  bytes: number;
  mode: "mi" | "standard";
  overflow: "tree" | "counters";
  k: number;
  widths: number[];
  counters: number[];
  levels: number;
  base: number;
  categories: boolean;
  /** The fewest points of a leaf of a tree that was suppressed, and how many were dropped; 0 otherwise. */
  atLeast: number;
  suppressed: number;
  /** Of a sketch with categories: it also answers without one. */
  totals: boolean;
}

export function readParams(h: Header): Params {
  const r = new Bytes(h.params, "parameters");
  const fields = r.number(allFields);
  const form = forms[fields & 3] || undefined;
  must(form !== undefined, "form 0");
  const res = r.decimal();
  must(res >= 2 ** -1022 && res < Infinity, `resolution ${res}`);
  const bounds = fields & noBounds ? undefined : readBounds(r);
  const bytes = fields & hasBytes ? r.number(mostBytes) : defaultBytes;
  must(bytes > 0 && !(fields & hasBytes && bytes === defaultBytes), `${bytes} bytes at most`);
  const mode = fields & inSums ? "standard" : "mi";
  const k = fields & hasK ? r.byte() : defaultK;
  must(k > 0 && k <= 32 && !(fields & hasK && k === defaultK), `k is ${k}`);
  const widths = readWidths(r, fields, mode === "mi" ? [4, 8, 16, 32] : [8, 16, 32]);
  const usual = sizesFor(widths, bytes);
  let counters = usual;
  if (fields & hasSizes) {
    counters = widths.map(() => r.number(2 ** 32));
    must(
      counters.every((m, i) => m > 0 && (i === 0 || (m < counters![i - 1]! && counters![i - 1]! % m === 0))),
      "each layer must be a smaller divisor of the one before",
    );
    must(String(counters) !== String(usual), "counters that follow from bytes");
  }
  must(counters !== undefined, `${bytes} bytes, in which the layers do not fit`);
  const base = fields & hasBase ? r.byte() : 0;
  must(!(fields & hasBase) || base > 0, "a base level of 0");
  must(h.levels + base <= mostLevels, `${h.levels} levels above level ${base}`);
  if (fields & hasParts) {
    const parts = r.byte();
    const largest = r.byte();
    must((parts & 63) > 0 && largest > 0 && form === "dense" && mode === "mi", `${parts & 63} parts in this form and mode`);
  }
  const atLeast = fields & hasLeast ? r.number(mostLeast) : 0;
  const suppressed = fields & hasLeast ? Number(r.big()) : 0;
  must(!(fields & hasLeast) || (form === "tree" && atLeast >= 2), `leaves of at least ${atLeast} points in this form`);
  r.done();
  must(layerBytes(widths, counters).reduce((a, b) => a + b) <= bytes, `layers that take more than ${bytes} bytes`);
  const overflow = fields & toCounters ? "counters" : "tree";
  must(form !== "exact" || !(fields & fromFirst), "an exact sketch that was dense from the first row on");
  must(form !== "tree" || overflow === "tree", "a tree whose cells overflow to counters");
  must(
    overflow === "counters" || (!(fields & (inSums | fromFirst | hasK | hasWidths | hasBase)) && h.levels === 0),
    "what only counters have where cells overflow to a tree",
  );
  const p: Params = {
    form,
    grid: new Grid(res),
    bounds,
    bytes,
    mode,
    overflow,
    k,
    widths,
    counters,
    levels: h.levels,
    base,
    atLeast,
    suppressed,
    categories: (h.flags & categorised) !== 0,
    totals: (h.flags & withTotals) !== 0,
  };
  checkFlags(p, h);
  return p;
}

function checkFlags(p: Params, h: Header): void {
  const sums = (h.flags & additive) !== 0;
  const known = h.total !== undefined;
  const ceiling = (h.flags & saturated) !== 0;
  must(!p.totals || p.categories, "totals without categories");
  must(p.categories || h.keyClass === 0n, "a class of categories without categories");
  if (p.form === "exact") must(sums && known && !ceiling, `flags ${h.flags} of an exact sketch`);
  else if (p.form === "tree") must(sums === known && !ceiling, `flags ${h.flags} of a tree`);
  else must(p.mode === "standard" ? sums || !known : !sums, `flags ${h.flags} in this mode`);
  must(p.form !== "exact" || h.body.length <= p.bytes, "an exact body beyond its bytes");
}

function readBounds(r: Bytes): Rect {
  const least = -(1n << 53n) - 1n;
  const most = 1n << 53n;
  const x = r.signed();
  const y = r.signed();
  const width = r.big();
  const height = r.big();
  must(x >= least && y >= least && x + width <= most && y + height <= most, "bounds beyond any cell");
  return { x0: Number(x), y0: Number(y), x1: Number(x + width), y1: Number(y + height) };
}

function readWidths(r: Bytes, fields: number, usual: number[]): number[] {
  if (!(fields & hasWidths)) return usual;
  const n = r.byte();
  must(n > 0 && n <= 8, `${n} layers`);
  const widths = [...r.take(n)];
  must(
    widths.every((w, i) => w >= 2 && w <= 64 && (i === 0 || w >= widths[i - 1]!)) && widths.reduce((a, w) => a + w - 1, 0) <= 63,
    `layers of ${widths} bits`,
  );
  must(String(widths) !== String(usual), "the default widths");
  return widths;
}

/** The sizes of layers that follow from bytes; undefined where none do. */
function sizesFor(widths: number[], bytes: number): number[] | undefined {
  const padding = 8 * widths.length;
  if (bytes < leastBytes) return undefined;
  let ratio = 1;
  while (ratio < 2 * widths[0]!) ratio *= 2;
  // Of eight layers this can pass 2^53.
  const unit = widths.reduce((sum, w) => sum * BigInt(ratio) + BigInt(w), 0n);
  let last = Number((BigInt(bytes - padding) * 8n) / unit);
  if (last === 0) return undefined;
  const step = 2 ** Math.max(0, Math.floor(Math.log2(last)) - 4);
  last -= last % step;
  return widths.map((_, i) => last * ratio ** (widths.length - 1 - i));
}

/** The bytes of each layer, a multiple of 8. */
export function layerBytes(widths: number[], counters: number[]): number[] {
  return widths.map((w, i) => Math.ceil((w * counters[i]!) / 64) * 8);
}
