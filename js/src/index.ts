import { GridSketch } from "./ccbf.js";
import { fail } from "./bytes.js";
import { BloomFilter, CountMinSketch, CuckooFilter } from "./filters.js";
import { readHeader } from "./header.js";

export { SketchError } from "./bytes.js";
export type { GeoJSON } from "./area.js";
export type { Bounds, Categories, Category, Estimate, GridInfo, Square } from "./ccbf.js";
export { GridSketch } from "./ccbf.js";
export type { KeyInfo } from "./filters.js";
export { BloomFilter, CountMinSketch, CuckooFilter } from "./filters.js";
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
      return new GridSketch(header, blob.length);
    case "bloom":
      return new BloomFilter(header, blob.length);
    case "cms":
      return new CountMinSketch(header, blob.length);
    case "cuckoo":
      return new CuckooFilter(header, blob.length);
    default:
      return fail(`a ${header.family} sketch, which this reader does not read`);
  }
}
