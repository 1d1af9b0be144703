import { Bytes, must } from "./bytes.js";

/** The names of the families, by their numbers. */
export const families = ["", "ccbf", "cms", "sbf", "cbf", "bloom", "cuckoo", "top"] as const;
export type Family = "ccbf" | "cms" | "sbf" | "cbf" | "bloom" | "cuckoo" | "top";

export const additive = 1;
export const totalKnown = 2;
export const saturated = 4;
export const categorised = 8;
export const withTotals = 16;
const hasClass = 32;
const hasSeed = 64;
const hasLevels = 128;

/** What all sketches begin with. */
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
}

const magic = [0xcb, 0x42, 0x46, 0x1a];
const mostParams = 4096;

/** Reads the header of a BLOB and holds the checksum against its bytes. */
export function readHeader(blob: Uint8Array): Header {
  must(blob.length >= 12 && magic.every((c, i) => blob[i] === c), "it does not begin as one");
  must(blob[4] === 1, `format version ${blob[4]}, this reader knows 1`);
  const family = families[blob[5]!] || undefined;
  must(family !== undefined, `family ${blob[5]}`);
  const r = new Bytes(blob, "the header");
  r.at = 10;
  const flags = r.number();
  must(flags < 256, `unknown flags ${flags}`);
  const keyClass = flags & hasClass ? r.big() : 0n;
  const levels = flags & hasLevels ? r.byte() : 0;
  const seed = flags & hasSeed ? r.big() : 0n;
  must(
    !(flags & hasClass) === (keyClass === 0n) && !(flags & hasLevels) === (levels === 0) && !(flags & hasSeed) === (seed === 0n),
    "a field that is 0",
  );
  const total = flags & totalKnown ? r.big() : undefined;
  const params = r.take(r.number(mostParams));
  const sum = new DataView(blob.buffer, blob.byteOffset, 10).getUint32(6, true);
  must(checksum(blob) === sum, "the checksum does not match, the bytes were changed");
  must(knownClass(keyClass), `key class ${keyClass}`);
  return { family, flags, keyClass, levels, seed, total, params, body: blob.subarray(r.at) };
}

/** Whether a class of keys is defined: a scalar one, or the shape of a STRUCT. */
function knownClass(c: bigint): boolean {
  if (c <= 13n || c === 32n) return true;
  const parts: number[] = [];
  for (let rest = c; rest > 0n; rest >>= 4n) parts.push(Number(rest & 15n));
  if (parts[0] !== 14) return false;
  // A 0 that is highest is no bit of the number: 0 and 2 are a FLOAT, so none is.
  let i = 1;
  const fields = (depth: number): boolean => {
    let n = 0;
    for (; i < parts.length && parts[i] !== 15; n++) {
      const part = parts[i++]!;
      if (part === 14 && !fields(depth + 1)) return false;
      if (part === 0 && parts[i++] !== 2) return false;
    }
    if (depth > 0 && parts[i++] !== 15) return false;
    return n > 0;
  };
  return fields(0) && i === parts.length;
}

const table = new Uint32Array(256).map((_, n) => {
  for (let i = 0; i < 8; i++) n = n & 1 ? (n >>> 1) ^ 0x82f63b78 : n >>> 1;
  return n;
});

/** CRC-32C of all bytes but the checksum's own. */
function checksum(b: Uint8Array): number {
  let c = -1;
  for (let i = 0; i < b.length; i = i === 5 ? 10 : i + 1) c = table[(c ^ b[i]!) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}
