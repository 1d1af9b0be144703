import { gridSketch, type GridSketch } from "./ccbf.js";
import { fail } from "./bytes.js";
import { bloomFilter, type BloomFilter, countMinSketch, type CountMinSketch, cuckooFilter, type CuckooFilter } from "./filters.js";
import { readHeader } from "./header.js";

export { SketchError } from "./bytes.js";
export type { GeoJSON } from "./area.js";
export type { Bounds, Categories, Category, Estimate, GridInfo, GridSketch, Square } from "./ccbf.js";
export type { BloomFilter, CountMinSketch, CuckooFilter, KeyInfo } from "./filters.js";
export type { Family } from "./header.js";
export type { Key } from "./key.js";

export type Sketch = GridSketch | BloomFilter | CountMinSketch | CuckooFilter;

/**
 * Opens a sketch: a BLOB of ccbfsql. It reads and checks all bytes, which must not change later.
 * A SketchError says what is wrong with them.
 */
export function open(blob: Uint8Array): Sketch {
  const header = readHeader(blob);
  switch (header.family) {
    case "ccbf":
      return gridSketch(header);
    case "bloom":
      return bloomFilter(header);
    case "cms":
      return countMinSketch(header);
    case "cuckoo":
      return cuckooFilter(header);
    default:
      return fail(`a ${header.family} sketch, which this reader does not read`);
  }
}
