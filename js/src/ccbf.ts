import { type Area, boxArea, type GeoJSON, inside, polygonArea } from "./area.js";
import { fail, full } from "./bytes.js";
import { type Counters, countersOf } from "./counters.js";
import { readExact } from "./exact.js";
import { cellsIn, isEmpty, meet, type Rect, squareAt } from "./grid.js";
import { additive, type Header, type Info, infoOf } from "./header.js";
import { each as eachItem, type Section, walk } from "./items.js";
import { type Key, keyBytes, keyText } from "./key.js";
import { type Form, readParams } from "./params.js";
import { readTree, type Tree } from "./tree.js";

/** A box: xmin, ymin, xmax, ymax. It includes its lower edges, and not its upper ones. */
export type Bounds = readonly [number, number, number, number];

/** One category or a list. A category that is in the list twice counts once. */
export type Categories = Key | readonly Key[];

export interface Estimate {
  estimate: number;
  low: number;
  high: number;
}

/** A cell, or a square of a tree (nested squares with counts): its centre, side and number of points. */
export interface Square {
  x: number;
  y: number;
  side: number;
  count: number;
}

export interface Category {
  category: ReturnType<typeof keyText>;
  /** The bytes of the key, which every method accepts as a category. */
  key: Uint8Array;
  total: number;
}

export interface GridInfo extends Info {
  family: "ccbf";
  form: Form;
  /** The side of a cell. */
  res: number;
  /** Whether all counts are exact. */
  exact: boolean;
  /** Whether points have categories, and whether counters also count points without their category. */
  categories: boolean;
  totals: boolean;
  mode: "mi" | "standard";
  overflow: "tree" | "counters";
  k: number;
  layers: number[];
  counters: number[];
  levels: number;
  baseLevel: number;
  maxBytes: number;
  /** The number of distinct cells, counted once for each category, or undefined if it is not known. */
  cells: number | undefined;
  leaves: number | undefined;
  /** The largest threshold with which a tree was pruned. */
  threshold: number | undefined;
  /** For a tree of ccbf_suppress: the minimum number of points of a square, and the number of dropped points. Otherwise 0. */
  atLeast: number;
  suppressed: number;
}

/** A sketch of points: counts on a grid. Counts are doubles, which are exact up to 2^53. */
export interface GridSketch {
  readonly family: "ccbf";
  info(): GridInfo;
  /** The box that contains all points, or undefined if there are none. */
  bounds(): Bounds | undefined;
  /** The number of points in the cell that contains (x, y): never below the true count. */
  count(x: number, y: number, category?: Categories): number;
  /** The number of points in the cells whose centres lie in a box: never below the true number. */
  boxSum(box: Bounds, category?: Categories): number;
  /** The number of points in the cells whose centres lie in a polygon: never below the true number. */
  polygonSum(polygon: GeoJSON, category?: Categories): number;
  /**
   * Estimates a sum over a box or a polygon. The true sum is always between low and high. For a tree, squares
   * on the border count by the fraction that is inside. For counters, the estimate is the sum less the average
   * count of cells without points, and low is 0.
   */
  estimate(area: Bounds | GeoJSON, category?: Categories): Estimate;
  /** The cells of a box that have points. For a tree, the squares that meet the box. */
  cells(box?: Bounds, category?: Categories): Square[];
  /**
   * Calls add for each cell with points in an area. For a tree, it calls add for the squares that meet the area. x and y are
   * the indexes of the first cell, and side is a number of cells. A cell is added once for each of its categories.
   */
  each(area: Bounds | GeoJSON | undefined, add: (x: number, y: number, side: number, count: number) => void, category?: Categories): void;
  /** The number of cells whose centres lie in an area. */
  cellsIn(area: Bounds | GeoJSON): number;
  /** The categories with points, in an area or anywhere, with their numbers of points. For a tree, these are upper bounds. */
  categories(area?: Bounds | GeoJSON): Category[];
  /**
   * The number of points in each pixel of a box, row by row from the north-west. A pixel counts the cells whose
   * centres lie in it. For a tree, it counts all squares with such cells.
   */
  raster(box: Bounds, width: number, height: number, category?: Categories): Float64Array;
}

type Add = (x: number, y: number, side: number, count: number) => void;

/** The largest side and number of pixels of a raster. */
const mostSide = 8192;
const mostPixels = 2 ** 24;

/** The number of times that a polygon is quartered to count its cells: down to single cells. */
const allSteps = 64;

export function gridSketch(h: Header): GridSketch {
  const p = readParams(h);
  const { bounds, form, grid } = p;
  // Sums of counters can exceed the total, as cells share counters.
  const most = form === "dense" ? Number(h.total ?? full) : 2 ** 64;
  const capped = (sum: number): number => Math.min(sum, most);
  let sections: Section[] = [];
  let distinct: number | undefined;
  let tree: Tree | undefined;
  let dense: Counters | undefined;
  if (form === "exact") ({ sections, cells: distinct } = readExact(h.body, bounds, p.categories, h.total!));
  else if (form === "tree") {
    tree = readTree(h.body, bounds, p.categories, p.atLeast, h.total);
    ({ sections, cells: distinct } = tree);
  } else dense = countersOf(p, h);

  /** The part of a rectangle that can have points. */
  const inBounds = (r: Rect): Area => boxArea(bounds ? meet(r, bounds) : r);
  function areaOf(area: Bounds | GeoJSON): Area {
    if (typeof area !== "object" || area === null) fail("an area is a box or GeoJSON");
    return "type" in area ? polygonArea(grid, area) : boxArea(grid.box(area));
  }

  /** The keys of the given categories, or undefined for all categories. */
  function chosen(category: Categories | undefined): Uint8Array[] | undefined {
    if (category === undefined) {
      // A list of cells, or leaves, counts points of any category.
      if (dense && p.categories && !p.totals) fail("the counters were built with a category: give one");
      return undefined;
    }
    if (!p.categories) fail("the sketch was built without a category");
    const several = Array.isArray(category) ? (category as readonly Key[]) : [category as Key];
    return [...new Map(several.map((c) => keyBytes(c, h.keyClass)).map((key) => [String(key), key])).values()];
  }

  /** The lists of cells or squares with points of some categories. */
  function itemsOf(which: Uint8Array[] | undefined): Section["items"] {
    const names = which && new Set(which.map(String));
    return sections.filter((s) => !names || names.has(String(s.category))).flatMap((s) => s.items);
  }

  /** Estimates a sum. Without shares, the estimate leaves out the squares on the border. */
  function estimateIn(area: Area, which: Uint8Array[] | undefined, shares = false): Estimate {
    let low = 0;
    let high = 0;
    let estimate = 0;
    if (!bounds || isEmpty(meet(bounds, area.bounds))) return { estimate, low, high };
    if (dense) {
      for (const category of which ?? [undefined]) {
        const sum = dense.sum(area, bounds, category);
        high += sum.high;
        estimate += sum.high - sum.excess;
      }
    } else {
      walk(area, bounds, itemsOf(which), (item, square, relation) => {
        high += item.count;
        if (relation === inside) low += item.count;
        else if (shares) estimate += (item.count * area.cells(square)) / cellsIn(square);
      });
      estimate += low;
      // After intersect and mask, counts are upper bounds only.
      if (!(h.flags & additive)) low = 0;
    }
    high = capped(high);
    low = capped(low);
    return { estimate: Math.min(Math.max(estimate, low), high), low, high };
  }

  function each(area: Bounds | GeoJSON | undefined, add: Add, category?: Categories): void {
    const which = chosen(category);
    if (dense) fail("counters cannot list their cells");
    if (!bounds) return;
    walk(area ? areaOf(area) : inBounds(bounds), bounds, itemsOf(which), (item) =>
      eachItem(item, ({ x0, y0, x1, count }) => add(x0, y0, x1 - x0 + 1, count)),
    );
  }

  const sumIn = (area: Area, category: Categories | undefined): number => estimateIn(area, chosen(category)).high;

  return {
    family: "ccbf",

    info: () => ({
      ...infoOf(h),
      family: "ccbf",
      form,
      res: grid.res,
      exact: form === "exact",
      saturated: infoOf(h).saturated || (!dense && h.total === full),
      categories: p.categories,
      totals: p.totals,
      mode: p.mode,
      overflow: p.overflow,
      k: p.k,
      layers: p.widths,
      counters: p.counters,
      levels: h.levels,
      baseLevel: p.base,
      maxBytes: p.bytes,
      cells: distinct,
      leaves: tree?.leaves,
      threshold: tree?.threshold,
      atLeast: p.atLeast,
      suppressed: p.suppressed,
    }),

    bounds: () => bounds && [grid.edge(bounds.x0), grid.edge(bounds.y0), grid.edge(bounds.x1 + 1), grid.edge(bounds.y1 + 1)],

    count(x, y, category) {
      const cell = squareAt(grid.cell(x), grid.cell(y), 1);
      const which = chosen(category);
      if (!dense) return estimateIn(inBounds(cell), which).high;
      if (!bounds || isEmpty(meet(cell, bounds))) return 0;
      return capped((which ?? [undefined]).reduce((sum, c) => sum + dense.count(cell.x0, cell.y0, c), 0));
    },

    boxSum: (box, category) => sumIn(areaOf(box), category),

    polygonSum: (polygon, category) => sumIn(areaOf(polygon), category),

    estimate: (area, category) => estimateIn(areaOf(area), chosen(category), true),

    cells(box, category) {
      const found = new Map<string, Square>();
      each(box, (x, y, side, count) => {
        const key = `${x} ${y} ${side}`;
        const before = found.get(key);
        if (before) before.count += count;
        else found.set(key, { x: grid.edge(x + side / 2), y: grid.edge(y + side / 2), side: grid.edge(side), count });
      }, category);
      return [...found.values()];
    },

    each,

    cellsIn(area) {
      if (!("type" in area)) return cellsIn(grid.box(area));
      const polygon = polygonArea(grid, area);
      return polygon.cells(polygon.bounds, allSteps);
    },

    categories(area) {
      if (dense) fail("counters cannot list their categories");
      const of = area && areaOf(area);
      const sums = new Map<string, { key: Uint8Array; sum: number }>();
      for (const { category: key, points } of sections) {
        if (key) sums.set(String(key), { key, sum: (sums.get(String(key))?.sum ?? 0) + Number(points) });
      }
      const all = [...sums.values()].map(({ key, sum }) => ({
        category: keyText(key, h.keyClass),
        key,
        total: of ? sumIn(of, key) : capped(sum),
      }));
      return all.filter((c) => c.total > 0);
    },

    raster(box, width, height, category) {
      const whole = (n: number): boolean => Number.isInteger(n) && n >= 1 && n <= mostSide;
      if (!whole(width) || !whole(height) || width * height > mostPixels) fail(`raster: ${width} by ${height} pixels`);
      const r = grid.box(box);
      if (!box.every(Number.isFinite) || box[0] >= box[2] || box[1] >= box[3]) fail(`raster: box ${box}`);
      const which = chosen(category);
      const pixels = new Float64Array(width * height);
      if (!bounds) return pixels;
      /** The first cell of each column or line of pixels, and the cell after the last one. */
      const cuts = (low: number, high: number, n: number): number[] =>
        Array.from({ length: n + 1 }, (_, i) => grid.lower(i === n ? high : Math.min(low + ((high - low) * i) / n, high)));
      const columns = cuts(box[0], box[2], width);
      const lines = cuts(box[1], box[3], height);
      /** Calls visit for the pixels that have cells of a rectangle. */
      const pixelsOf = (of: Rect, visit: (pixel: number, cells: Rect) => void): void => {
        for (let j = partOf(lines, of.y0); j <= partOf(lines, of.y1); j++) {
          for (let i = partOf(columns, of.x0); i <= partOf(columns, of.x1); i++) {
            const cells = { x0: columns[i]!, y0: lines[j]!, x1: columns[i + 1]! - 1, y1: lines[j + 1]! - 1 };
            if (!isEmpty(cells)) visit((height - 1 - j) * width + i, cells);
          }
        }
      };
      if (dense) {
        pixelsOf(r, (pixel, cells) => {
          pixels[pixel] = estimateIn(inBounds(cells), which).high;
        });
      } else {
        each(box, (x, y, side, count) => {
          pixelsOf(meet(meet(squareAt(x, y, side), bounds), r), (pixel) => {
            pixels[pixel]! += count;
          });
        }, category);
      }
      return pixels;
    },
  };
}

/** The last part that begins at a cell or before it, of parts with at least one cell. */
function partOf(at: number[], cell: number): number {
  let from = 0;
  let to = at.length - 1;
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (at[middle]! > cell) to = middle;
    else from = middle;
  }
  return from;
}
