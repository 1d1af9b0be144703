import { fail } from "./bytes.js";

/** A rectangle of cells, both ends included; empty where x1 is below x0. */
export interface Rect {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The largest index of a cell. */
export const maxIndex = 2 ** 53;
const exactIndex = 2 ** 50;

export function isEmpty(r: Rect): boolean {
  return r.x0 > r.x1 || r.y0 > r.y1;
}

export function meet(a: Rect, b: Rect): Rect {
  return { x0: Math.max(a.x0, b.x0), y0: Math.max(a.y0, b.y0), x1: Math.min(a.x1, b.x1), y1: Math.min(a.y1, b.y1) };
}

/** The smallest rectangle around two. */
export function join(a: Rect, b: Rect): Rect {
  return { x0: Math.min(a.x0, b.x0), y0: Math.min(a.y0, b.y0), x1: Math.max(a.x1, b.x1), y1: Math.max(a.y1, b.y1) };
}

export function cellsIn(r: Rect): number {
  return isEmpty(r) ? 0 : (r.x1 - r.x0 + 1) * (r.y1 - r.y0 + 1);
}

/** A grid of square cells. All arithmetic is that of doubles. */
export class Grid {
  private readonly p: number;
  private readonly q: number;
  private readonly inverse: number;

  constructor(readonly res: number) {
    [this.p, this.q] = fraction(res);
    this.inverse = this.q / this.p;
  }

  /** Where cell i begins. */
  edge(i: number): number {
    return (i * this.p) / this.q;
  }

  center(i: number): number {
    return this.edge(i + 0.5);
  }

  /** The cell of a coordinate. */
  cell(name: string, v: number): number {
    let n = roundToEven(v * this.inverse);
    if (Math.abs(n) < exactIndex) return v < this.edge(n) ? n - 1 : n;
    if (!(Math.abs(n) <= maxIndex)) fail(`${name} is ${v}, which no cell of resolution ${this.res} holds`);
    while (n > -maxIndex && this.edge(n) > v) n--;
    while (n < maxIndex && this.edge(n + 1) <= v) n++;
    return n;
  }

  /** The first cell whose centre is not below a coordinate. */
  lower(v: number): number {
    const n = Math.floor(v * this.inverse);
    if (Math.abs(n) < exactIndex) return v <= this.edge(n + 0.5) ? n : n + 1;
    if (n > maxIndex + 64) return maxIndex + 1;
    if (n < -maxIndex - 64) return -maxIndex;
    let c = Math.min(Math.max(n, -maxIndex), maxIndex);
    while (c > -maxIndex && this.center(c - 1) >= v) c--;
    while (c < maxIndex && this.center(c) < v) c++;
    return c;
  }

  /** The cells whose centres lie in a box. */
  box([xmin, ymin, xmax, ymax]: readonly [number, number, number, number]): Rect {
    if (!(xmin <= xmax && ymin <= ymax)) fail(`box: ${xmin}, ${ymin}, ${xmax}, ${ymax} is not xmin, ymin, xmax, ymax`);
    return { x0: this.lower(xmin), y0: this.lower(ymin), x1: this.lower(xmax) - 1, y1: this.lower(ymax) - 1 };
  }
}

function roundToEven(v: number): number {
  const f = Math.floor(v);
  const over = v - f;
  return over < 0.5 || (over === 0.5 && f % 2 === 0) ? f : f + 1;
}

/** The fraction p/q of a resolution, in lowest terms. */
function fraction(res: number): [number, number] {
  const [digits, exponent] = res.toExponential().split("e") as [string, string];
  const [whole, part = ""] = digits.split(".") as [string, string?];
  const e = Number(exponent) - part.length;
  if (Math.abs(e) > 400) return [res, 1];
  let p = BigInt(whole + part);
  let q = 10n ** BigInt(Math.max(-e, 0));
  p *= 10n ** BigInt(Math.max(e, 0));
  let a = p;
  for (let b = q; b > 0n; ) [a, b] = [b, a % b];
  p /= a;
  q /= a;
  const most = BigInt(maxIndex);
  return p > most || q > most ? [res, 1] : [Number(p), Number(q)];
}
