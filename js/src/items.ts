import { type Area, inside, outside, partly } from "./area.js";
import { meet, type Rect } from "./grid.js";

/** A cell, a leaf of a tree, or what is around several of these. */
export interface Item extends Rect {
  /** How many points it has. */
  count: number;
  /** Undefined of a cell or a leaf. */
  parts: (() => Item[]) | undefined;
}

/** The cells, or the leaves, of a category. */
export interface Section {
  category: Uint8Array | undefined;
  points: bigint;
  items: Item[];
}

/** Above how many items they are put into groups. */
const fewItems = 4;

/** An item around others, which are read when they are needed. */
export function around(items: Item[], parts: () => Item[]): Item {
  const all: Item = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity, count: 0, parts };
  for (const { x0, y0, x1, y1, count } of items) {
    if (x0 < all.x0) all.x0 = x0;
    if (y0 < all.y0) all.y0 = y0;
    if (x1 > all.x1) all.x1 = x1;
    if (y1 > all.y1) all.y1 = y1;
    all.count += count;
  }
  return all;
}

/** Puts items into groups, and these into groups, until there are few. */
export function grouped(items: Item[]): Item[] {
  if (items.length <= fewItems) return items;
  const groups: Item[] = [];
  for (let i = 0; i < items.length; i += fewItems) {
    const some = items.slice(i, i + fewItems);
    groups.push(around(some, () => some));
  }
  return grouped(groups);
}

/** Takes an item, what of it is in bounds, and how that lies. */
type Visit = (item: Item, square: Rect, relation: typeof inside | typeof partly) => void;

/** Goes down to the largest items inside an area, and to cells and leaves that its outline crosses. */
export function walk(area: Area, bounds: Rect, items: Item[], visit: Visit): void {
  for (const item of items) {
    const square = meet(item, bounds);
    const relation = area.enter(square);
    if (relation === outside) continue;
    if (relation === partly && item.parts) walk(area, bounds, item.parts(), visit);
    else visit(item, square, relation);
    if (relation === partly) area.leave();
  }
}

/** Calls visit for all cells or leaves of an item. */
export function each(item: Item, visit: (item: Item) => void): void {
  if (item.parts) for (const part of item.parts()) each(part, visit);
  else visit(item);
}
