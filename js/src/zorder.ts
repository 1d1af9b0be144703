import type { Rect } from "./grid.js";

/** Added to an index before it is split into a region and a place in it. */
export const bias = 0x55555555;
const regionSide = 2 ** 32;

/** The number of the region, in one direction, that has the cell with an index. */
export const regionOf = (index: number): number => Math.floor((index + bias) / regionSide);

/** The index of the first cell of a region. */
export const firstOf = (region: number): number => region * regionSide - bias;

/** Every second bit of a key, which is given as two halves. */
function half(high: number, low: number): number {
  return compact(high) * 65536 + compact(low);
}

function compact(v: number): number {
  v &= 0x55555555;
  v = (v | (v >>> 1)) & 0x33333333;
  v = (v | (v >>> 2)) & 0x0f0f0f0f;
  v = (v | (v >>> 4)) & 0x00ff00ff;
  return (v | (v >>> 8)) & 0xffff;
}

export interface Region {
  x: number;
  y: number;
}

/** The x of a key in a region. */
export const cellX = (r: Region, high: number, low: number): number => firstOf(r.x) + half(high, low);
export const cellY = (r: Region, high: number, low: number): number => firstOf(r.y) + half(high >>> 1, low >>> 1);

/** The lowest key that a cell inside bounds can have in a region. */
export function lowestKey(bounds: Rect, r: Region): bigint {
  const x = regionOf(bounds.x0) === r.x ? bounds.x0 - firstOf(r.x) : 0;
  const y = regionOf(bounds.y0) === r.y ? bounds.y0 - firstOf(r.y) : 0;
  let key = 0n;
  for (let bit = 31; bit >= 0; bit--) key = key * 4n + BigInt(((x >>> bit) & 1) + ((y >>> bit) & 1) * 2);
  return key;
}
