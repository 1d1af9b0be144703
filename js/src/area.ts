import { fail } from "./bytes.js";
import { cellsIn, type Grid, isEmpty, maxIndex, meet, type Rect } from "./grid.js";

/** How a rectangle of cells lies in an area. */
export const outside = 0;
export const partly = 1;
export const inside = 2;
export type Relation = 0 | 1 | 2;

/** What a sum is over. Rectangles are entered one inside the other. */
export interface Area {
  readonly bounds: Rect;
  /** How a rectangle lies. Where that is partly, it is entered, until leave. */
  enter(r: Rect): Relation;
  leave(): void;
  /** Whether a cell of the rectangle that was entered last is inside. */
  contains(x: number, y: number): boolean;
  /** About what part of a rectangle, the one entered last, is inside. */
  share(r: Rect): number;
}

export class Box implements Area {
  constructor(readonly bounds: Rect) {}

  enter(r: Rect): Relation {
    const in_ = cellsIn(meet(r, this.bounds));
    return in_ === 0 ? outside : in_ === cellsIn(r) ? inside : partly;
  }

  leave(): void {}

  contains(x: number, y: number): boolean {
    const r = this.bounds;
    return r.x0 <= x && x <= r.x1 && r.y0 <= y && y <= r.y1;
  }

  share(r: Rect): number {
    return cellsIn(meet(r, this.bounds)) / cellsIn(r);
  }
}

/** GeoJSON as far as it has an inside. */
export type GeoJSON =
  | { type: "Polygon"; coordinates: readonly (readonly (readonly number[])[])[] }
  | { type: "MultiPolygon"; coordinates: readonly (readonly (readonly (readonly number[])[])[])[] }
  | { type: "GeometryCollection"; geometries: readonly GeoJSON[] }
  | { type: "Feature"; geometry: GeoJSON | null }
  | { type: "FeatureCollection"; features: readonly GeoJSON[] };

type Point = readonly [number, number];
type Ring = readonly Point[];

const mostDepth = 16;
const mostPoints = 10_000_000;

/** The polygons of GeoJSON, each its rings, closed. */
function polygonsOf(g: GeoJSON | null, depth = 0): Ring[][] {
  if (depth > mostDepth) fail("polygon: nested too deep");
  const all = (list: readonly GeoJSON[]): Ring[][] => list.flatMap((p) => polygonsOf(p, depth + 1));
  switch (g?.type) {
    case undefined:
      return [];
    case "Polygon":
      return g.coordinates.length > 0 ? [g.coordinates.map(ringOf)] : [];
    case "MultiPolygon":
      return g.coordinates.filter((p) => p.length > 0).map((p) => p.map(ringOf));
    case "GeometryCollection":
      return all(g.geometries);
    case "Feature":
      return polygonsOf(g.geometry, depth + 1);
    case "FeatureCollection":
      return all(g.features);
    default:
      return fail(`polygon: a ${(g as { type: unknown }).type} has no inside`);
  }
}

function ringOf(points: readonly (readonly number[])[]): Ring {
  const ring = points.map(([x, y]): Point => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) fail(`polygon: point ${x}, ${y} is not finite`);
    return [x!, y!];
  });
  const first = ring[0];
  const last = ring[ring.length - 1];
  if (first && last && (first[0] !== last[0] || first[1] !== last[1])) ring.push(first);
  if (new Set(ring.map(String)).size < 3) fail("polygon: a ring has fewer than three different points");
  return ring;
}

/** One side of a ring, turned to point upward, and the rows whose centres it crosses. */
interface Edge {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  /** Infinity where it does not fit a double. */
  slope: number;
  start: number;
  end: number;
  ring: number;
  up: boolean;
}

/** Where an edge crosses a centre line. */
function crossing(e: Edge, cy: number): number {
  const x = e.x0 + (cy - e.y0) * e.slope;
  if (x <= e.x1 === e.slope >= 0) return x;
  if (e.slope !== Infinity) return e.x1;
  const d = e.y1 - e.y0;
  const t = Number.isFinite(d) ? (cy - e.y0) / d : (cy / 2 - e.y0 / 2) / (e.y1 / 2 - e.y0 / 2);
  return Math.min(Math.max(e.x0 * (1 - t) + e.x1 * t, Math.min(e.x0, e.x1)), Math.max(e.x0, e.x1));
}

/** From this row upward cells lie right of one edge more of a ring. */
interface Turn {
  row: number;
  ring: number;
}

/** What a rectangle sees of a polygon. */
interface Window {
  rect: Rect;
  /** Those that cross it. */
  edges: Edge[];
  turns: Turn[];
  /** The rings of which its first row is right of an odd number of edges on its left. */
  odd: Set<number>;
  /** Where one ring at most is left: whether cells right of an even and an odd number are inside. */
  alone: readonly [boolean, boolean] | undefined;
}

/** How many cells are asked for one by one, and how often larger rectangles are quartered. */
const fewCells = 64;
const shareSteps = 2;

/** The cells whose centres lie in a polygon: even-odd in a ring, holes, half-open edges. */
export class Polygon implements Area {
  readonly bounds: Rect;
  private readonly outer: number[] = [];
  private readonly windows: Window[];

  constructor(
    private readonly grid: Grid,
    geojson: GeoJSON,
  ) {
    const polygons = polygonsOf(geojson);
    const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    let points = 0;
    for (const ring of polygons.flat()) {
      points += ring.length;
      for (const [x, y] of ring) {
        box[0] = Math.min(box[0], x);
        box[1] = Math.min(box[1], y);
        box[2] = Math.max(box[2], x);
        box[3] = Math.max(box[3], y);
      }
    }
    if (points > mostPoints) fail(`polygon: more than ${mostPoints} points`);
    const all = { x0: -maxIndex, y0: -maxIndex, x1: maxIndex, y1: maxIndex };
    this.bounds = points > 0 ? meet(grid.box(box), all) : { x0: 0, y0: 0, x1: -1, y1: -1 };
    const edges: Edge[] = [];
    for (const rings of polygons) {
      const outer = this.outer.length;
      for (const ring of rings) {
        for (let i = 1; i < ring.length; i++) this.addEdge(edges, ring[i - 1]!, ring[i]!, this.outer.length);
        this.outer.push(outer);
      }
    }
    this.windows = [{ rect: all, edges, turns: [], odd: new Set(), alone: undefined }];
  }

  private addEdge(edges: Edge[], a: Point, b: Point, ring: number): void {
    if (isEmpty(this.bounds)) return;
    const up = a[1] < b[1];
    if (!up) [a, b] = [b, a];
    const start = Math.max(this.grid.lower(a[1]), this.bounds.y0);
    const end = Math.min(this.grid.lower(b[1]), this.bounds.y1 + 1);
    // A ray from the left never meets what is right of all centres.
    if (start >= end || Math.min(a[0], b[0]) > this.grid.center(this.bounds.x1)) return;
    const d = b[1] - a[1];
    let slope = (b[0] - a[0]) / d;
    if (!Number.isFinite(d) || !Number.isFinite(slope)) slope = Infinity;
    edges.push({ x0: a[0], y0: a[1], x1: b[0], y1: b[1], slope, start, end, ring, up });
  }

  enter(r: Rect): Relation {
    const seen = meet(r, this.bounds);
    if (isEmpty(seen)) return outside;
    const w = this.narrow(this.windows[this.windows.length - 1]!, seen);
    let relation = this.relation(w);
    if (relation === inside && cellsIn(seen) !== cellsIn(r)) relation = partly;
    if (relation === partly) this.windows.push(w);
    return relation;
  }

  leave(): void {
    this.windows.pop();
  }

  contains(x: number, y: number): boolean {
    const w = this.windows[this.windows.length - 1]!;
    const r = w.rect;
    if (x < r.x0 || x > r.x1 || y < r.y0 || y > r.y1) return false;
    const cx = this.grid.center(x);
    const cy = this.grid.center(y);
    const odd = new Set(w.odd);
    for (const e of w.edges) if (y >= e.start && y < e.end && leftOf(e, cx, cy)) toggle(odd, e.ring);
    for (const t of w.turns) if (t.row <= y) toggle(odd, t.ring);
    return w.alone ? w.alone[odd.size > 0 ? 1 : 0]! : this.holds(odd);
  }

  /** Of small rectangles right, of others that of the centres of their parts. */
  share(r: Rect): number {
    return this.count(r, shareSteps) / cellsIn(r);
  }

  /** How many cells are inside. */
  cells(): number {
    return isEmpty(this.bounds) ? 0 : this.count(this.bounds, 64);
  }

  private count(r: Rect, steps: number): number {
    if (cellsIn(r) <= fewCells) {
      let n = 0;
      for (let y = r.y0; y <= r.y1; y++) for (let x = r.x0; x <= r.x1; x++) if (this.contains(x, y)) n++;
      return n;
    }
    const x = r.x0 + Math.floor((r.x1 - r.x0) / 2);
    const y = r.y0 + Math.floor((r.y1 - r.y0) / 2);
    if (steps === 0) return this.contains(x, y) ? cellsIn(r) : 0;
    let n = 0;
    for (const q of [
      { ...r, x1: x, y1: y },
      { ...r, x0: x + 1, y1: y },
      { ...r, x1: x, y0: y + 1 },
      { ...r, x0: x + 1, y0: y + 1 },
    ]) {
      if (isEmpty(q)) continue;
      const relation = this.enter(q);
      if (relation === inside) n += cellsIn(q);
      if (relation === partly) {
        n += this.count(q, steps - 1);
        this.leave();
      }
    }
    return n;
  }

  /** Whether a point is inside that is right of an odd number of edges of these rings. */
  private holds(odd: Set<number>): boolean {
    const holes = new Set<number>();
    for (const ring of odd) if (this.outer[ring] !== ring) holes.add(this.outer[ring]!);
    for (const ring of odd) if (this.outer[ring] === ring && !holes.has(ring)) return true;
    return false;
  }

  /** What w, inside from, sees of it. */
  private narrow(from: Window, rect: Rect): Window {
    const w: Window = { rect, edges: [], turns: [], odd: new Set(from.odd), alone: from.alone };
    const turn = (row: number, ring: number): void => {
      const last = w.turns[w.turns.length - 1];
      if (row <= rect.y0) toggle(w.odd, ring);
      else if (row > rect.y1) return;
      else if (last && last.row === row && last.ring === ring) w.turns.pop();
      else w.turns.push({ row, ring });
    };
    for (const t of from.turns) turn(t.row, t.ring);
    const left = this.grid.center(rect.x0);
    const right = this.grid.center(rect.x1);
    for (const e of from.edges) {
      const low = Math.max(e.start, rect.y0);
      const high = Math.min(e.end - 1, rect.y1);
      if (low > high) continue;
      let west = Math.min(e.x0, e.x1);
      let east = Math.max(e.x0, e.x1);
      if ((west <= left && east > left) || (west <= right && east > right)) {
        if (e.slope !== Infinity || low === high) {
          const a = crossing(e, this.grid.center(low));
          const b = crossing(e, this.grid.center(high));
          [west, east] = e.x0 > e.x1 ? [b, a] : [a, b];
        }
      }
      if (west > right) continue;
      if (east > left) {
        w.edges.push(e);
        continue;
      }
      // In the direction of the ring, so that the edges of a stretch meet in turns that cancel.
      turn(e.up ? low : high + 1, e.ring);
      turn(e.up ? high + 1 : low, e.ring);
    }
    cancel(w);
    return w;
  }

  private relation(w: Window): Relation {
    if (!w.alone) {
      const rings = new Set([...w.edges, ...w.turns].map((e) => e.ring));
      if (rings.size > 1) return partly;
      const before = this.holds(w.odd);
      const after = new Set(w.odd);
      for (const ring of rings) toggle(after, ring);
      w.alone = [before, this.holds(after)];
      w.odd = new Set();
    } else if (w.odd.size > 0) {
      w.alone = [w.alone[1], w.alone[0]];
      w.odd = new Set();
    }
    if (w.alone[0] !== w.alone[1] && w.edges.length + w.turns.length > 0) return partly;
    return w.alone[0] ? inside : outside;
  }
}

function toggle(odd: Set<number>, ring: number): void {
  if (!odd.delete(ring)) odd.add(ring);
}

/** Drops the pairs of equal turns that did not meet in order. */
function cancel(w: Window): void {
  if (w.turns.length < 2) return;
  const kept: Turn[] = [];
  for (const t of w.turns.sort((a, b) => a.row - b.row || a.ring - b.ring)) {
    const last = kept[kept.length - 1];
    if (last && last.row === t.row && last.ring === t.ring) kept.pop();
    else kept.push(t);
  }
  w.turns = kept;
}

function leftOf(e: Edge, x: number, y: number): boolean {
  if (x < e.x0 && x < e.x1) return false;
  return (x >= e.x0 && x >= e.x1) || crossing(e, y) <= x;
}
