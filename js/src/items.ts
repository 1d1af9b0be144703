import { type Area, inside, outside, partly } from "./area.js";
import { meet, type Rect } from "./grid.js";

/** A cell, a leaf of a tree, or a group: the smallest rectangle around several of these. */
export interface Item extends Rect {
  /** How many points it has. */
  count: number;
  /** The items of a group; undefined for a cell or a leaf. */
  parts: (() => Item[]) | undefined;
}

/** The cells, or the leaves, of a category. */
export interface Section {
  category: Uint8Array | undefined;
  points: bigint;
  items: Item[];
}

/** More items than this are put into groups. */
const fewItems = 4;

/** The group of items. Its parts are read when they are needed. */
export function around(items: Item[], parts: () => Item[]): Item {
  const group = emptyGroup(parts);
  for (const { x0, y0, x1, y1, count } of items) include(group, x0, y0, x1, y1, count);
  return group;
}

/** A group that is empty until include extends it to its parts. */
export function emptyGroup(parts: () => Item[]): Item {
  return { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity, count: 0, parts };
}

/** Extends an item to a rectangle and its points. */
export function include(all: Item, x0: number, y0: number, x1: number, y1: number, count: number): void {
  if (x0 < all.x0) all.x0 = x0;
  if (y0 < all.y0) all.y0 = y0;
  if (x1 > all.x1) all.x1 = x1;
  if (y1 > all.y1) all.y1 = y1;
  all.count += count;
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

/** Called with an item, with its part inside the bounds, and with how that part lies in the area. */
type Visit = (item: Item, square: Rect, relation: typeof inside | typeof partly) => void;

/** Goes down to the largest items inside an area, and to cells and leaves that its outline crosses. */
export function walk(area: Area, bounds: Rect, items: Item[], visit: Visit): void {
  for (const item of items) {
    if (item.x0 === item.x1 && item.y0 === item.y1 && !item.parts) {
      if (area.contains(item.x0, item.y0)) visit(item, item, inside);
      continue;
    }
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
