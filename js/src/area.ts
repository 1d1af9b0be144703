import { fail } from "./bytes.js";
import { cellsIn, everywhere, type Grid, isEmpty, meet, type Rect, squareAt } from "./grid.js";

/** How a rectangle of cells lies in an area. */
export const outside = 0;
export const partly = 1;
export const inside = 2;
export type Relation = typeof outside | typeof partly | typeof inside;

/** The area of a sum. Each entered rectangle lies inside the one entered before. */
export interface Area {
  readonly bounds: Rect;
  /** Whether a cell is inside. The cell must be in the rectangle that was entered last. */
  contains(x: number, y: number): boolean;
  /** How a rectangle lies in the area. If it lies partly inside, it is entered until leave is called. */
  enter(r: Rect): Relation;
  leave(): void;
  /** The number of cells of the rectangle entered last that are inside. For large rectangles it is approximate. */
  cells(r: Rect, steps?: number): number;
}

export function boxArea(bounds: Rect): Area {
  const cells = (r: Rect): number => cellsIn(meet(r, bounds));
  return {
    bounds,
    enter: (r) => (cells(r) === 0 ? outside : cells(r) === cellsIn(r) ? inside : partly),
    contains: (x, y) => x >= bounds.x0 && x <= bounds.x1 && y >= bounds.y0 && y <= bounds.y1,
    leave() {},
    cells,
  };
}

/** The types of GeoJSON that have an inside. */
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

/** The polygons of a GeoJSON object, each a list of closed rings. */
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
  if (ring.length > 0 && String(ring[0]) !== String(ring[ring.length - 1])) ring.push(ring[0]!);
  if (new Set(ring.map(String)).size < 3) fail("polygon: a ring has fewer than three different points");
  return ring;
}

/** A side of a ring, directed upward, and the rows whose centres it crosses. */
interface Edge {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  /** The slope; Infinity if it does not fit a double. */
  slope: number;
  start: number;
  end: number;
  ring: number;
  up: boolean;
}

/** The x at which an edge crosses the line of centres at y = cy. */
function crossing(e: Edge, cy: number): number {
  const x = e.x0 + (cy - e.y0) * e.slope;
  if (x <= e.x1 === e.slope >= 0) return x;
  if (e.slope !== Infinity) return e.x1;
  const d = e.y1 - e.y0;
  const t = Number.isFinite(d) ? (cy - e.y0) / d : (cy / 2 - e.y0 / 2) / (e.y1 / 2 - e.y0 / 2);
  return Math.min(Math.max(e.x0 * (1 - t) + e.x1 * t, Math.min(e.x0, e.x1)), Math.max(e.x0, e.x1));
}

/** A row from which on cells lie right of one more edge of a ring. */
interface Turn {
  row: number;
  ring: number;
}

/** The part of a polygon that matters in a rectangle. */
interface Window {
  /** The edges that cross the rectangle. */
  edges: Edge[];
  turns: Turn[];
  /** The rings with an odd number of edges to the left of the rectangle's first row. */
  odd: number[];
  /** Set if at most one ring is left in the rectangle: whether cells right of an even number of edges are inside, and those right of an odd number. */
  alone: readonly [boolean, boolean] | undefined;
}

/** A rectangle of at most fewCells cells is counted row by row. A larger one is quartered, shareSteps times for a fraction. */
const fewCells = 64;
const shareSteps = 2;
/** A rectangle with at most this number of edges is counted row by row if all its cells count. */
const fewEdges = 16;

/** Returns the area of the cells whose centres lie in a polygon: even-odd in a ring, holes, half-open edges. */
export function polygonArea(grid: Grid, geojson: GeoJSON): Area {
  const polygons = polygonsOf(geojson);
  const points = polygons.flat(2);
  if (points.length > mostPoints) fail(`polygon: more than ${mostPoints} points`);
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  const bounds = points.length > 0 ? meet(grid.box(box), everywhere) : squareAt(0, 0, 0);
  const inBox = boxArea(bounds);

  /** The outer ring of each ring. */
  const outer: number[] = [];
  const edges: Edge[] = [];
  for (const rings of polygons) {
    const first = outer.length;
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++) addEdge(ring[i - 1]!, ring[i]!);
      outer.push(first);
    }
  }
  const windows: Window[] = [{ edges, turns: [], odd: [], alone: undefined }];

  function addEdge(a: Point, b: Point): void {
    const up = a[1] < b[1];
    if (!up) [a, b] = [b, a];
    const start = Math.max(grid.lower(a[1]), bounds.y0);
    const end = Math.min(grid.lower(b[1]), bounds.y1 + 1);
    // An edge right of all centres has no cell to its right, so it changes nothing.
    if (start >= end || Math.min(a[0], b[0]) > grid.center(bounds.x1)) return;
    const d = b[1] - a[1];
    let slope = (b[0] - a[0]) / d;
    if (!Number.isFinite(d) || !Number.isFinite(slope)) slope = Infinity;
    edges.push({ x0: a[0], y0: a[1], x1: b[0], y1: b[1], slope, start, end, ring: outer.length, up });
  }

  /** Whether a point is inside that is right of an odd number of edges of these rings. */
  function holds(rings: number[]): boolean {
    return rings.some((ring) => outer[ring] === ring && !rings.some((hole) => hole !== ring && outer[hole] === ring));
  }

  /** Whether a point in a window is inside that is right of an odd number of edges of these rings. */
  const isInside = (w: Window, odd: number[]): boolean => (w.alone ? w.alone[odd.length > 0 ? 1 : 0] : holds(odd));

  /** The window of a rectangle inside another window, made from the other. */
  function narrow(from: Window, rect: Rect): Window {
    const w: Window = { edges: [], turns: [], odd: from.odd.slice(), alone: from.alone };
    const turn = (row: number, ring: number): void => {
      if (row <= rect.y0) toggle(w.odd, ring);
      else if (row <= rect.y1) addTurn(w.turns, { row, ring });
    };
    for (const t of from.turns) turn(t.row, t.ring);
    const left = grid.center(rect.x0);
    const right = grid.center(rect.x1);
    for (const e of from.edges) {
      const low = Math.max(e.start, rect.y0);
      const high = Math.min(e.end - 1, rect.y1);
      if (low > high) continue;
      let west = Math.min(e.x0, e.x1);
      let east = Math.max(e.x0, e.x1);
      if ((west <= left && east > left) || (west <= right && east > right)) {
        if (e.slope !== Infinity || low === high) {
          const a = crossing(e, grid.center(low));
          const b = crossing(e, grid.center(high));
          [west, east] = e.x0 > e.x1 ? [b, a] : [a, b];
        }
      }
      if (west > right) continue;
      if (east > left) {
        w.edges.push(e);
        continue;
      }
      // The turns are added in the direction of the ring. So two edges that follow each other have equal turns where they meet, which cancel.
      turn(e.up ? low : high + 1, e.ring);
      turn(e.up ? high + 1 : low, e.ring);
    }
    if (w.turns.length < 2) return w;
    // Pairs of equal turns that did not meet in order cancel here.
    const turns = w.turns.sort((a, b) => a.row - b.row || a.ring - b.ring);
    w.turns = [];
    for (const t of turns) addTurn(w.turns, t);
    return w;
  }

  function relationOf(w: Window): Relation {
    if (!w.alone) {
      const rings = new Set([...w.edges, ...w.turns].map((e) => e.ring));
      if (rings.size > 1) return partly;
      const before = holds(w.odd);
      for (const ring of rings) toggle(w.odd, ring);
      w.alone = [before, holds(w.odd)];
      w.odd = [];
    } else if (w.odd.length > 0) {
      w.alone = [w.alone[1], w.alone[0]];
      w.odd = [];
    }
    if (w.alone[0] !== w.alone[1] && w.edges.length + w.turns.length > 0) return partly;
    return w.alone[0] ? inside : outside;
  }

  function enter(r: Rect): Relation {
    const seen = meet(r, bounds);
    if (isEmpty(seen)) return outside;
    const w = narrow(windows[windows.length - 1]!, seen);
    let relation = relationOf(w);
    if (relation === inside && cellsIn(seen) !== cellsIn(r)) relation = partly;
    if (relation === partly) windows.push(w);
    return relation;
  }

  function leave(): void {
    windows.pop();
  }

  /** Counts the cells of a rectangle that are inside, row by row. The rectangle lies in the one that was entered last. */
  function inRows(rect: Rect): number {
    const r = meet(rect, bounds);
    if (isEmpty(r)) return 0;
    const w = windows[windows.length - 1]!;
    let n = 0;
    for (let y = r.y0; y <= r.y1; y++) {
      const odd = w.odd.slice();
      for (const t of w.turns) if (t.row <= y) toggle(odd, t.ring);
      const starts: { x: number; ring: number }[] = [];
      for (const e of w.edges) {
        if (y >= e.start && y < e.end) starts.push({ x: Math.max(grid.lower(crossing(e, grid.center(y))), r.x0), ring: e.ring });
      }
      if (starts.length > 1) starts.sort((a, b) => a.x - b.x);
      let from = r.x0;
      const upTo = (x: number): void => {
        if (x > from && isInside(w, odd)) n += x - from;
        from = x;
      };
      for (const { x, ring } of starts) {
        if (x > r.x1) break;
        upTo(x);
        toggle(odd, ring);
      }
      upTo(r.x1 + 1);
    }
    return n;
  }

  function contains(x: number, y: number): boolean {
    if (!inBox.contains(x, y)) return false;
    const w = windows[windows.length - 1]!;
    const cx = grid.center(x);
    const cy = grid.center(y);
    const odd = w.odd.slice();
    for (const e of w.edges) if (y >= e.start && y < e.end && isLeft(e, cx, cy)) toggle(odd, e.ring);
    for (const t of w.turns) if (t.row <= y) toggle(odd, t.ring);
    return isInside(w, odd);
  }

  function cells(r: Rect, steps = shareSteps): number {
    const few = steps > shareSteps && windows[windows.length - 1]!.edges.length <= fewEdges;
    if (few || cellsIn(r) <= fewCells) return inRows(r);
    const x = r.x0 + Math.floor((r.x1 - r.x0) / 2);
    const y = r.y0 + Math.floor((r.y1 - r.y0) / 2);
    if (steps === 0) return contains(x, y) ? cellsIn(r) : 0;
    let n = 0;
    for (const q of [
      { ...r, x1: x, y1: y },
      { ...r, x0: x + 1, y1: y },
      { ...r, x1: x, y0: y + 1 },
      { ...r, x0: x + 1, y0: y + 1 },
    ]) {
      if (isEmpty(q)) continue;
      const relation = enter(q);
      if (relation === inside) n += cellsIn(q);
      if (relation === partly) {
        n += cells(q, steps - 1);
        leave();
      }
    }
    return n;
  }

  return { bounds, enter, leave, contains, cells };
}

/** Whether an edge crosses the row of a centre left of it, or at it. */
function isLeft(e: Edge, x: number, y: number): boolean {
  if (x < e.x0 && x < e.x1) return false;
  return (x >= e.x0 && x >= e.x1) || crossing(e, y) <= x;
}

function toggle(odd: number[], ring: number): void {
  const i = odd.indexOf(ring);
  if (i < 0) odd.push(ring);
  else odd.splice(i, 1);
}

/** Adds a turn; two that are equal and meet cancel. */
function addTurn(turns: Turn[], t: Turn): void {
  const last = turns[turns.length - 1];
  if (last && last.row === t.row && last.ring === t.ring) turns.pop();
  else turns.push(t);
}
