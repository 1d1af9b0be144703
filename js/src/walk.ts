import { type Area, inside, outside, partly } from "./area.js";
import { isEmpty, meet, type Rect } from "./grid.js";
import { compareKeys, lastOf, quarterOf, type Region, type Run, squareAt } from "./zorder.js";

/** Cells or squares of one region, in parts that are read when they are needed. */
export interface Parts {
  readonly region: Region;
  /** The keys of the first of each part. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** The points of a part, where that is known without its cells; 0 otherwise. */
  readonly total: Float64Array;
  read(part: number): Run;
}

/** Takes what lies in an area, or across its outline. */
export interface Visitor {
  /** A whole part lies inside, which has so many points. False where its cells are wanted. */
  part?(points: number): void;
  /** Items from to to-1 lie inside. */
  inside(run: Run, from: number, to: number): void;
  /** An item that the outline crosses, the square entered last. */
  across(run: Run, i: number, square: Rect): void;
}

/** Up to how many items of a square are looked at one by one. */
const fewItems = 8;

/** Goes down into the squares that the outline of an area crosses. */
export class Walk {
  private run: Run | undefined;
  private current = -1;

  constructor(
    private readonly parts: Parts,
    private readonly area: Area,
    private readonly bounds: Rect,
    private readonly visitor: Visitor,
  ) {}

  start(): void {
    if (this.parts.high.length > 0) this.square(0, 0, 32, 0, this.parts.high.length);
  }

  private square(high: number, low: number, level: number, from: number, to: number): void {
    const relation = this.enter(high, low, level);
    if (relation === outside) return;
    const [lastHigh, lastLow] = lastOf(high, low, level);
    if (relation === inside) {
      for (let i = from; i < to; i++) this.whole(i, high, low, lastHigh, lastLow);
      return;
    }
    if (to - from === 1) {
      const run = this.read(from);
      this.items(run, level, this.first(run, high, low), this.after(run, lastHigh, lastLow));
    } else {
      const { parts } = this;
      for (let q = 0; q < 4; q++) {
        const [h, l] = quarterOf(high, low, level, q);
        const [lh, ll] = lastOf(h, l, level - 1);
        const next = lower(from, to, (i) => compareKeys(parts.high[i]!, parts.low[i]!, lh, ll) > 0);
        let first = lower(from, next, (i) => compareKeys(parts.high[i]!, parts.low[i]!, h, l) >= 0);
        // The part before the first that begins in this quarter reaches into it.
        if (first > from && (first === next || compareKeys(parts.high[first]!, parts.low[first]!, h, l) > 0)) first--;
        if (first < next) this.square(h, l, level - 1, first, next);
      }
    }
    this.area.leave();
  }

  private enter(high: number, low: number, level: number): 0 | 1 | 2 {
    const r = meet(squareAt(this.parts.region, high, low, level), this.bounds);
    return isEmpty(r) ? outside : this.area.enter(r);
  }

  /** Part i as far as it lies in a square that is inside. */
  private whole(i: number, high: number, low: number, lastHigh: number, lastLow: number): void {
    const { parts } = this;
    const ends = i + 1 === parts.high.length || compareKeys(parts.high[i + 1]!, parts.low[i + 1]!, lastHigh, lastLow) <= 0;
    const begins = compareKeys(parts.high[i]!, parts.low[i]!, high, low) >= 0;
    // The last part may reach beyond the square, unless that is all there is.
    const all = begins && ends && (i + 1 < parts.high.length || (lastHigh === 0xffffffff && lastLow === 0xffffffff));
    if (this.visitor.part && all && parts.total[i]! > 0) {
      this.visitor.part(parts.total[i]!);
      return;
    }
    const run = this.read(i);
    this.visitor.inside(run, this.first(run, high, low), this.after(run, lastHigh, lastLow));
  }

  private items(run: Run, level: number, from: number, to: number): void {
    if (to - from === 1 && run.level[from]! >= level) {
      this.across(run, from);
      return;
    }
    for (let i = from; i < to; ) {
      let end = i + 1;
      let high = run.high[i]!;
      let low = run.low[i]!;
      let below = run.level[i]!;
      if (to - from > fewItems) {
        below = level - 1;
        if (below > 16) high = (high - (high % 2 ** (2 * below - 32))) >>> 0;
        low = below >= 16 ? 0 : low - (low % 2 ** (2 * below));
        const [lastHigh, lastLow] = lastOf(high, low, below);
        end = lower(i, to, (k) => compareKeys(run.high[k]!, run.low[k]!, lastHigh, lastLow) > 0);
      }
      const relation = this.enter(high, low, below);
      if (relation === inside) this.visitor.inside(run, i, end);
      if (relation === partly) {
        this.items(run, below, i, end);
        this.area.leave();
      }
      i = end;
    }
  }

  private across(run: Run, i: number): void {
    const r = squareAt(this.parts.region, run.high[i]!, run.low[i]!, run.level[i]!);
    this.visitor.across(run, i, meet(r, this.bounds));
  }

  private read(part: number): Run {
    if (this.current !== part || !this.run) this.run = this.parts.read(part);
    this.current = part;
    return this.run;
  }

  private first(run: Run, high: number, low: number): number {
    return lower(0, run.n, (i) => compareKeys(run.high[i]!, run.low[i]!, high, low) >= 0);
  }

  private after(run: Run, high: number, low: number): number {
    return lower(0, run.n, (i) => compareKeys(run.high[i]!, run.low[i]!, high, low) > 0);
  }
}

/** The first number from from to to-1 of which something holds, as of all after it; to where there is none. */
export function lower(from: number, to: number, holds: (i: number) => boolean): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
