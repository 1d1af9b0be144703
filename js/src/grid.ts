import { decimalOf, fail } from "./bytes.js";

/** A rectangle of cells, both ends included; empty where x1 is below x0. */
export interface Rect {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The largest index of a cell. */
export const maxIndex = 2 ** 53;

export const everywhere: Rect = { x0: -maxIndex, y0: -maxIndex, x1: maxIndex, y1: maxIndex };

export function isEmpty(r: Rect): boolean {
  return r.x0 > r.x1 || r.y0 > r.y1;
}

export function meet(a: Rect, b: Rect): Rect {
  return { x0: Math.max(a.x0, b.x0), y0: Math.max(a.y0, b.y0), x1: Math.min(a.x1, b.x1), y1: Math.min(a.y1, b.y1) };
}

export function cellsIn(r: Rect): number {
  return isEmpty(r) ? 0 : (r.x1 - r.x0 + 1) * (r.y1 - r.y0 + 1);
}

/** The square of a side, in cells, at its first cell. */
export function squareAt(x: number, y: number, side: number): Rect {
  return { x0: x, y0: y, x1: x + side - 1, y1: y + side - 1 };
}

/** A grid of square cells. All arithmetic is that of doubles. */
export class Grid {
  private readonly p: number;
  private readonly q: number;

  constructor(readonly res: number) {
    [this.p, this.q] = fraction(res);
  }

  /** The coordinate of the lower edge of cell i. */
  edge(i: number): number {
    return (i * this.p) / this.q;
  }

  center(i: number): number {
    return this.edge(i + 0.5);
  }

  /** The cell of a coordinate: the last one whose edge is not above it. */
  cell(v: number): number {
    const n = Math.floor(v * (this.q / this.p));
    if (!(Math.abs(n) <= maxIndex)) fail(`no cell of resolution ${this.res} holds ${v}`);
    return this.first(n, (i) => this.edge(i + 1) > v);
  }

  /** The first cell whose centre is not below a coordinate. */
  lower(v: number): number {
    return this.first(Math.floor(v * (this.q / this.p)), (i) => this.center(i) >= v);
  }

  /** The first index for which holds is true. It is also true for all larger indexes. The index must be near n. */
  private first(n: number, holds: (i: number) => boolean): number {
    n = Math.min(Math.max(n, -maxIndex), maxIndex);
    while (n > -maxIndex && holds(n - 1)) n--;
    while (n < maxIndex && !holds(n)) n++;
    return n;
  }

  /** The cells whose centres lie in a box. */
  box([xmin, ymin, xmax, ymax]: readonly [number, number, number, number]): Rect {
    if (!(xmin <= xmax && ymin <= ymax)) fail(`box: ${xmin}, ${ymin}, ${xmax}, ${ymax} is not xmin, ymin, xmax, ymax`);
    return { x0: this.lower(xmin), y0: this.lower(ymin), x1: this.lower(xmax) - 1, y1: this.lower(ymax) - 1 };
  }
}

/** The fraction p/q of a resolution, in lowest terms. */
function fraction(res: number): [number, number] {
  const [digits, exponent] = decimalOf(res);
  let p = BigInt(digits);
  let q = 1n;
  if (exponent < 0) q = 10n ** BigInt(-exponent);
  else p *= 10n ** BigInt(exponent);
  let a = p;
  for (let b = q; b > 0n; ) [a, b] = [b, a % b];
  p /= a;
  q /= a;
  return p > maxIndex || q > maxIndex ? [res, 1] : [Number(p), Number(q)];
}
