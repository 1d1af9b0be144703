import { fail, type Must, partOf, Reader, view } from "./bytes.js";

const must: Must = partOf("its header");

/** The names of the families, by their numbers. */
const families = ["", "ccbf", "cms", "sbf", "cbf", "bloom", "cuckoo", "top"] as const;
export type Family = "ccbf" | "cms" | "sbf" | "cbf" | "bloom" | "cuckoo" | "top";

export const additive = 1;
export const totalKnown = 2;
export const saturated = 4;
export const categorised = 8;
export const withTotals = 16;
const hasClass = 32;
const hasSeed = 64;
const hasLevels = 128;

/** The fields with which the BLOBs of all families begin. */
export interface Header {
  family: Family;
  flags: number;
  keyClass: bigint;
  levels: number;
  seed: bigint;
  /** Undefined where it is not known. */
  total: bigint | undefined;
  params: Uint8Array;
  body: Uint8Array;
  /** The length of the BLOB. */
  bytes: number;
}

/** The properties that sketches of all families have. */
export interface Info {
  family: Family;
  /** Undefined where it is not known. */
  total: bigint | undefined;
  /** The class of the keys, or of the categories (docs/FORMAT.md); 0 where none was seen. */
  keyClass: bigint;
  seed: bigint;
  additive: boolean;
  saturated: boolean;
  bytes: number;
}

export const infoOf = ({ family, total, keyClass, seed, flags, bytes }: Header): Info => ({
  family,
  total,
  keyClass,
  seed,
  additive: (flags & additive) > 0,
  saturated: (flags & saturated) > 0,
  bytes,
});

const magic = 0x1a4642cb;
const mostParams = 4096;

/** Reads the header of a BLOB and holds the checksum against its bytes. */
export function readHeader(blob: Uint8Array): Header {
  if (!ArrayBuffer.isView(blob)) fail(`open needs a Uint8Array, not ${blob === null ? "null" : typeof blob}`);
  if (blob.length < 12 || view(blob).getUint32(0, true) !== magic) fail("not a sketch");
  if (blob[4] !== 1) fail(`format version ${blob[4]}, this reader knows 1`);
  if (checksum(blob) !== view(blob).getInt32(6, true)) fail("not a valid sketch: the checksum does not match, the bytes were changed");
  const family = families[blob[5]!] || undefined;
  must(family !== undefined);
  const r = new Reader(blob, 10);
  const flags = r.number(255);
  const keyClass = flags & hasClass ? r.big() : 0n;
  const levels = flags & hasLevels ? r.byte() : 0;
  const seed = flags & hasSeed ? r.big() : 0n;
  // A field of 0 is left out of the BLOB. So a field must be above 0 if its flag is set.
  must(!(flags & hasClass) === !keyClass && !(flags & hasLevels) === !levels && !(flags & hasSeed) === !seed);
  const total = flags & totalKnown ? r.big() : undefined;
  const params = r.take(r.number(mostParams));
  must(isClass(keyClass));
  return { family, flags, keyClass, levels, seed, total, params, body: r.rest(), bytes: blob.length };
}

/** Whether a class of keys is defined: a scalar one, or the shape of a STRUCT. */
function isClass(c: bigint): boolean {
  if (c < 14n || c === 32n) return true;
  const [first, ...parts] = [...c.toString(16)].reverse();
  let fields = parts.join("");
  // Each round replaces the innermost STRUCTs by a field, as which they count in the STRUCT around them.
  for (let before = ""; before !== fields; ) {
    before = fields;
    fields = fields.replace(/e([1-9a-d]|02)+f/, "1");
  }
  return first === "e" && /^([1-9a-d]|02)+$/.test(fields);
}

const table = new Int32Array(256).map((_, n) => {
  for (let i = 0; i < 8; i++) n = (n >>> 1) ^ (n & 1 && 0x82f63b78);
  return n;
});

/** CRC-32C of all bytes but the checksum's own. */
function checksum(b: Uint8Array): number {
  let c = -1;
  for (let i = 0; i < b.length; i = i === 5 ? 10 : i + 1) c = table[(c ^ b[i]!) & 255]! ^ (c >>> 8);
  return ~c;
}
