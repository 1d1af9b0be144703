import { type Area, Box, type GeoJSON, Polygon } from "./area.js";
import { fail, full, must, Sum } from "./bytes.js";
import { Counters } from "./counters.js";
import { countAt, readExact } from "./exact.js";
import { cellsIn, isEmpty, meet, type Rect } from "./grid.js";
import { additive, type Header, saturated } from "./header.js";
import { type Key, keyBytes, keyText } from "./key.js";
import { type Form, type Params, readParams } from "./params.js";
import { countIn, readTree, type Sheet, type Tree } from "./tree.js";
import { lower, type Parts, Walk } from "./walk.js";
import { cellX, cellY, keyOf, type Region, type Run } from "./zorder.js";

/** xmin, ymin, xmax, ymax; lower edges are inside, upper ones are not. */
export type Bounds = readonly [number, number, number, number];

/** A category, or several, of which none counts twice. */
export type Categories = Key | readonly Key[];

export interface Estimate {
  estimate: number;
  low: number;
  high: number;
}

/** A cell, or a leaf of a tree: its centre, side and points. */
export interface Square {
  x: number;
  y: number;
  side: number;
  count: number;
}

export interface Category {
  category: ReturnType<typeof keyText>;
  /** The key's bytes, which every question takes. */
  key: Uint8Array;
  total: number;
}

export interface GridInfo {
  family: "ccbf";
  form: Form;
  /** The side of a cell. */
  res: number;
  /** Undefined where it is not known. */
  total: bigint | undefined;
  /** Whether every answer is exact. */
  exact: boolean;
  additive: boolean;
  saturated: boolean;
  /** Whether points have categories, and whether they are counted without as well. */
  categories: boolean;
  totals: boolean;
  /** The class of the categories (docs/FORMAT.md); 0 where none was seen. */
  keyClass: bigint;
  seed: bigint;
  mode: "mi" | "standard";
  overflow: "tree" | "counters";
  k: number;
  layers: number[];
  counters: number[];
  levels: number;
  baseLevel: number;
  maxBytes: number;
  /** Distinct cells, once for each category; undefined where that is not known. */
  cells: number | undefined;
  leaves: number | undefined;
  /** The largest threshold that a tree was pruned by. */
  threshold: number | undefined;
  /** Of a tree that was suppressed: the fewest points of a leaf, and how many were dropped; 0 otherwise. */
  atLeast: number;
  suppressed: number;
  bytes: number;
}

/** Sides and pixels of rasters. */
const mostSide = 8192;
const mostPixels = 2 ** 24;

/** A section of an exact sketch, or a sheet of a tree. */
interface Labelled {
  category: Uint8Array | undefined;
  parts: Parts;
  points: bigint;
}

/** Counts on a grid. Counts are exact up to 2^53 and the nearest doubles above. */
export class GridSketch {
  readonly family = "ccbf";
  private readonly p: Params;
  private readonly lists: Labelled[] = [];
  private readonly tree: Tree | undefined;
  private readonly dense: Counters | undefined;
  private readonly distinct: number | undefined;
  private excess: number | undefined;

  constructor(
    private readonly h: Header,
    private readonly bytes: number,
  ) {
    const p = (this.p = readParams(h));
    if (p.form === "exact") {
      let cells = 0;
      for (const s of readExact(h.body, p.bounds, p.categories, h.total!)) {
        cells += s.cells;
        this.lists.push({ category: s.category, parts: s, points: s.points });
      }
      this.distinct = cells;
    } else if (p.form === "tree") {
      this.tree = readTree(h.body, p.bounds, p.categories, p.atLeast);
      must(h.total === undefined || h.total === this.tree.points, "leaves that do not add up to the total");
      for (const s of this.tree.sections) {
        for (const sheet of s.sheets) this.lists.push({ category: s.category, parts: sheet, points: sheet.points });
      }
      this.distinct = this.tree.cells;
    } else {
      this.dense = new Counters(p, h);
    }
  }

  info(): GridInfo {
    const { p, h } = this;
    return {
      family: "ccbf",
      form: p.form,
      res: p.grid.res,
      total: h.total,
      exact: p.form === "exact",
      additive: (h.flags & additive) !== 0,
      saturated: (h.flags & saturated) !== 0 || (!this.dense && h.total === full),
      categories: p.categories,
      totals: p.totals,
      keyClass: h.keyClass,
      seed: h.seed,
      mode: p.mode,
      overflow: p.overflow,
      k: p.k,
      layers: p.widths,
      counters: p.counters,
      levels: p.levels,
      baseLevel: p.base,
      maxBytes: p.bytes,
      cells: this.distinct,
      leaves: this.tree?.leaves,
      threshold: this.tree?.threshold,
      atLeast: p.atLeast,
      suppressed: p.suppressed,
      bytes: this.bytes,
    };
  }

  /** Where there can be points; undefined where there are none. */
  bounds(): Bounds | undefined {
    const b = this.p.bounds;
    const edge = (i: number): number => this.p.grid.edge(i);
    return b && [edge(b.x0), edge(b.y0), edge(b.x1 + 1), edge(b.y1 + 1)];
  }

  /** The points of the cell of (x, y): never below the true count. */
  count(x: number, y: number, category?: Categories): number {
    return this.countCell(this.p.grid.cell("x", x), this.p.grid.cell("y", y), this.chosen(category));
  }

  /** The points of the cells whose centres lie in a box: never below the truth. */
  boxSum(box: Bounds, category?: Categories): number {
    return this.estimateIn(new Box(this.p.grid.box(box)), category).high;
  }

  /** The points of the cells whose centres lie in a polygon: never below the truth. */
  polygonSum(polygon: GeoJSON, category?: Categories): number {
    return this.estimateIn(new Polygon(this.p.grid, polygon), category).high;
  }

  /**
   * An estimate of a sum over a box or a polygon, between bounds that always hold: of a tree the
   * leaves on the border count by the share that is inside; of counters the estimate is the sum
   * less what cells without points read on average, and low is 0.
   */
  estimate(area: Bounds | GeoJSON, category?: Categories): Estimate {
    return this.estimateIn(this.areaOf(area), category);
  }

  /** The cells of a box that have points; of a tree the leaves that meet it. */
  cells(box?: Bounds, category?: Categories): Square[] {
    const { grid } = this.p;
    const found = new Map<string, Square>();
    this.each(box, (x, y, side, count) => {
      const key = `${x} ${y} ${side}`;
      const before = found.get(key);
      if (before) before.count += count;
      else found.set(key, { x: grid.edge(x + side / 2), y: grid.edge(y + side / 2), side: grid.edge(side), count });
    }, category);
    return [...found.values()];
  }

  /**
   * Calls add for the cells, or leaves, that have points and meet an area: x and y are the indexes of
   * the first cell, side is in cells. A cell of several categories is added for each.
   */
  each(area: Bounds | GeoJSON | undefined, add: (x: number, y: number, side: number, count: number) => void, category?: Categories): void {
    const { bounds, form } = this.p;
    const which = this.chosen(category);
    if (this.dense) fail("counters cannot list their cells");
    if (!bounds) return;
    const of = area ? this.areaOf(area) : new Box(bounds);
    for (const { parts } of this.listed(which)) {
      const item = ({ high, low, level, count }: Run, i: number): void =>
        add(cellX(parts.region, high[i]!, low[i]!), cellY(parts.region, high[i]!, low[i]!), 2 ** level[i]!, count[i]!);
      new Walk(parts, of, bounds, {
        inside(run, from, to) {
          for (let i = from; i < to; i++) item(run, i);
        },
        across(run, i, square) {
          if (form !== "exact" || of.share(square) > 0) item(run, i);
        },
      }).start();
    }
  }

  /** How many cells have their centres in an area. */
  cellsIn(area: Bounds | GeoJSON): number {
    const of = this.areaOf(area);
    return of instanceof Polygon ? of.cells() : cellsIn(of.bounds);
  }

  private areaOf(area: Bounds | GeoJSON): Box | Polygon {
    const { grid } = this.p;
    return "type" in area ? new Polygon(grid, area) : new Box(grid.box(area));
  }

  /** The categories with points, in an area or all, and how many: of a tree upper bounds. */
  categories(area?: Bounds | GeoJSON): Category[] {
    if (this.dense) fail("counters cannot list their categories");
    const all: Category[] = [];
    const sums = new Map<string, { key: Uint8Array; sum: Sum }>();
    for (const { category, points } of this.lists) {
      if (!category) continue;
      const name = String(category);
      const entry = sums.get(name) ?? { key: category, sum: new Sum() };
      entry.sum.add(points);
      sums.set(name, entry);
    }
    for (const { key, sum } of sums.values()) {
      const total = area ? this.estimate(area, key).high : sum.value;
      if (total > 0) all.push({ category: keyText(key, this.h.keyClass), key, total });
    }
    return all;
  }

  /**
   * The points of each pixel of a box, row by row from the north-west: a pixel counts the cells
   * whose centres it holds, and of a tree the leaves that have such cells.
   */
  raster(box: Bounds, width: number, height: number, category?: Categories): Float64Array {
    const { bounds, grid } = this.p;
    const whole = (n: number): boolean => Number.isInteger(n) && n >= 1 && n <= mostSide;
    if (!whole(width) || !whole(height) || width * height > mostPixels) fail(`raster: ${width} by ${height} pixels`);
    const r = grid.box(box);
    if (!box.every(Number.isFinite) || box[0] >= box[2] || box[1] >= box[3]) fail(`raster: box ${box}`);
    const which = this.chosen(category);
    const pixels = new Float64Array(width * height);
    if (!bounds) return pixels;
    const cuts = (low: number, high: number, n: number): number[] =>
      Array.from({ length: n + 1 }, (_, i) => grid.lower(i === n ? high : Math.min(low + ((high - low) * i) / n, high)));
    const columns = cuts(box[0], box[2], width);
    const lines = cuts(box[1], box[3], height);
    if (this.dense) {
      for (let j = 0; j < height; j++) {
        for (let i = 0; i < width; i++) {
          const of = { x0: columns[i]!, y0: lines[j]!, x1: columns[i + 1]! - 1, y1: lines[j + 1]! - 1 };
          pixels[(height - 1 - j) * width + i] = this.estimateOf(new Box(of), which).high;
        }
      }
      return pixels;
    }
    const part = (at: number[], cell: number): number => lower(1, at.length - 1, (i) => at[i]! > cell) - 1;
    this.each(box, (x, y, side, count) => {
      const at = meet(meet({ x0: x, y0: y, x1: x + side - 1, y1: y + side - 1 }, bounds), r);
      const last = part(columns, at.x1);
      for (let j = part(lines, at.y0); j <= part(lines, at.y1); j++) {
        for (let i = part(columns, at.x0); i <= last; i++) {
          if (columns[i]! < columns[i + 1]! && lines[j]! < lines[j + 1]!) pixels[(height - 1 - j) * width + i]! += count;
        }
      }
    }, category);
    return pixels;
  }

  private walk(parts: Parts, area: Area, visitor: ConstructorParameters<typeof Walk>[3]): void {
    new Walk(parts, area, this.p.bounds!, visitor).start();
  }

  /** The categories of a question; undefined for all of them. */
  private chosen(category: Categories | undefined): Uint8Array[] | undefined {
    if (category === undefined) {
      // A list of cells, or leaves, counts points of any category.
      if (this.dense && this.p.categories && !this.p.totals) fail("the counters were built with a category: give one");
      return undefined;
    }
    if (!this.p.categories) fail("the sketch was built without a category");
    const several = Array.isArray(category) ? (category as readonly Key[]) : [category as Key];
    const keys = new Map(several.map((c) => keyBytes(c, this.h.keyClass)).map((key) => [String(key), key]));
    return [...keys.values()];
  }

  private listed(which: Uint8Array[] | undefined): Labelled[] {
    if (!which) return this.lists;
    const names = new Set(which.map(String));
    return this.lists.filter((l) => names.has(String(l.category)));
  }

  private countCell(x: number, y: number, which: Uint8Array[] | undefined): number {
    const sum = new Sum();
    if (this.dense) {
      for (const category of which ?? [undefined]) sum.add(BigInt(this.dense.count(x, y, category)));
      return sum.value;
    }
    const b = this.p.bounds;
    if (!b || x < b.x0 || x > b.x1 || y < b.y0 || y > b.y1) return 0;
    const { region, high, low } = keyOf(x, y);
    for (const { parts } of this.listed(which)) {
      if (!sameRegion(parts.region, region)) continue;
      sum.add(this.tree ? countIn(parts as Sheet, high, low) : countAt(parts, high, low));
    }
    return sum.value;
  }

  private estimateIn(area: Area, category: Categories | undefined): Estimate {
    return this.estimateOf(area, this.chosen(category));
  }

  private estimateOf(area: Area, which: Uint8Array[] | undefined): Estimate {
    const { bounds } = this.p;
    if (!bounds || isEmpty(meet(bounds, area.bounds))) return { estimate: 0, low: 0, high: 0 };
    if (this.dense) return this.estimateDense(this.dense, area, bounds, which);
    const low = new Sum();
    const high = new Sum();
    let estimate = 0;
    const all = (n: number): void => {
      low.add(n);
      high.add(n);
      estimate += n;
    };
    for (const { parts } of this.listed(which)) {
      this.walk(parts, area, {
        part: all,
        inside(run, from, to) {
          for (let i = from; i < to; i++) all(run.count[i]!);
        },
        across(run, i, square) {
          high.add(run.count[i]!);
          estimate += run.count[i]! * area.share(square);
        },
      });
    }
    // What intersect and mask leave is the most that there can be.
    const least = this.h.flags & additive ? low.value : 0;
    return { estimate: Math.min(Math.max(estimate, least), high.value), low: least, high: high.value };
  }

  private estimateDense(dense: Counters, area: Area, bounds: Rect, which: Uint8Array[] | undefined): Estimate {
    const high = new Sum();
    let lookups = 0;
    for (const category of which ?? [undefined]) {
      // Squares across the bounds are partly inside a box, however far it reaches.
      const within = area instanceof Box ? new Box(meet(area.bounds, bounds)) : area;
      const found = dense.areaSum(within, bounds, category);
      high.add(BigInt(found.sum));
      lookups += found.lookups;
    }
    this.excess ??= dense.emptyExcess();
    return { estimate: Math.max(high.value - lookups * this.excess, 0), low: 0, high: high.value };
  }
}

function sameRegion(a: Region, b: Region): boolean {
  return a.x === b.x && a.y === b.y;
}
