import type { Rect } from "./grid.js";

/** Added to an index before it is split into a region and a place in it. */
export const bias = 0x55555555;
const regionSide = 2 ** 32;

/** Cells, or squares of cells, of one region in Z-order; keys in two halves. */
export interface Run {
  n: number;
  high: Uint32Array;
  low: Uint32Array;
  /** Squares of level l have 2^l by 2^l cells. */
  level: Uint8Array;
  /** Exact up to 2^53. */
  count: Float64Array;
}

export function newRun(n: number): Run {
  return { n: 0, high: new Uint32Array(n), low: new Uint32Array(n), level: new Uint8Array(n), count: new Float64Array(n) };
}

/** Every second bit of 32. */
function compact(v: number): number {
  v &= 0x55555555;
  v = (v | (v >>> 1)) & 0x33333333;
  v = (v | (v >>> 2)) & 0x0f0f0f0f;
  v = (v | (v >>> 4)) & 0x00ff00ff;
  return (v | (v >>> 8)) & 0xffff;
}

function spread(v: number): number {
  v = (v | (v << 8)) & 0x00ff00ff;
  v = (v | (v << 4)) & 0x0f0f0f0f;
  v = (v | (v << 2)) & 0x33333333;
  return (v | (v << 1)) & 0x55555555;
}

export interface Region {
  x: number;
  y: number;
}

/** The x and y of a key in a region. */
export function cellX(r: Region, high: number, low: number): number {
  return r.x * regionSide - bias + compact(high) * 65536 + compact(low);
}

export function cellY(r: Region, high: number, low: number): number {
  return r.y * regionSide - bias + compact(high >>> 1) * 65536 + compact(low >>> 1);
}

/** The region of a cell, and its key there. */
export function keyOf(x: number, y: number): { region: Region; high: number; low: number } {
  const region = { x: Math.floor((x + bias) / regionSide), y: Math.floor((y + bias) / regionSide) };
  return { region, ...keyAt(x + bias - region.x * regionSide, y + bias - region.y * regionSide) };
}

function keyAt(x: number, y: number): { high: number; low: number } {
  return {
    high: (spread(x >>> 16) | (spread(y >>> 16) << 1)) >>> 0,
    low: (spread(x & 0xffff) | (spread(y & 0xffff) << 1)) >>> 0,
  };
}

/** The lowest key that a cell inside bounds can have in a region. */
export function lowestKey(bounds: Rect, r: Region): { high: number; low: number } {
  const at = (least: number, region: number): number => {
    const v = least + bias - region * regionSide;
    return v >= 0 && v < regionSide ? v : 0;
  };
  return keyAt(at(bounds.x0, r.x), at(bounds.y0, r.y));
}

/** The cells of a square of a level, from 0 to 32, at a key. */
export function squareAt(r: Region, high: number, low: number, level: number): Rect {
  const x = cellX(r, high, low);
  const y = cellY(r, high, low);
  const side = 2 ** level;
  return { x0: x, y0: y, x1: x + side - 1, y1: y + side - 1 };
}

/** The highest key of a square of a level at a key. */
export function lastOf(high: number, low: number, level: number): [number, number] {
  return [
    level > 16 ? (high | (level === 32 ? 0xffffffff : 2 ** (2 * level - 32) - 1)) >>> 0 : high,
    level >= 16 ? 0xffffffff : (low | (2 ** (2 * level) - 1)) >>> 0,
  ];
}

/** Quarter q, from 0 to 3, of a square of a level at a key. */
export function quarterOf(high: number, low: number, level: number, q: number): [number, number] {
  return level > 16 ? [(high | (q << (2 * level - 34))) >>> 0, low] : [high, (low | (q << (2 * level - 2))) >>> 0];
}

/** Below 0 where the first key is lower, 0 where they are equal. */
export function compareKeys(high: number, low: number, high2: number, low2: number): number {
  return high - high2 || low - low2;
}
