import { fail, view, word } from "./bytes.js";

/** A key or a category; a Uint8Array is its bytes, of whatever class. */
export type Key = string | number | bigint | boolean | Date | Uint8Array;

const classNames = ["no", "BIGINT", "DOUBLE", "VARCHAR", "BLOB", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "UUID", "DECIMAL", "INTERVAL", "TIMETZ"];

const nameOf = (keyClass: number): string => classNames[keyClass] ?? (keyClass === 32 ? "FLOAT" : "STRUCT");

const dayLength = 86_400_000;

/** The bytes of a key of a class (docs/FORMAT.md, Keys). */
export function keyBytes(v: Key, keyClass: bigint): Uint8Array {
  if (v instanceof Uint8Array) return v;
  return scalar(v, Number(keyClass)) ?? fail(`key: ${typeof v} ${v} does not fit ${nameOf(Number(keyClass))} keys`);
}

function scalar(v: Exclude<Key, Uint8Array>, keyClass: number): Uint8Array | undefined {
  switch (keyClass) {
    case 0: // no key was seen
      return new Uint8Array(0);
    case 1:
      return typeof v === "bigint" || (typeof v === "number" && Number.isSafeInteger(v)) ? integer(BigInt(v)) : undefined;
    case 2:
    case 32:
      if (typeof v !== "number" || (keyClass > 2 && !Object.is(Math.fround(v), v))) return undefined;
      return word64(isNaN(v) ? 0x7ff8000000000000n : new BigInt64Array(Float64Array.of(v + 0).buffer)[0]!);
    case 3:
    case 4:
      return typeof v === "string" ? new TextEncoder().encode(v) : undefined;
    case 5:
      return typeof v === "boolean" ? word64(BigInt(v)) : undefined;
    case 6: {
      const days = v instanceof Date || typeof v === "string" ? new Date(v).getTime() / dayLength : NaN;
      return Number.isInteger(days) ? word64(BigInt(days)) : undefined;
    }
    case 8:
    case 9:
      return v instanceof Date && !isNaN(v.getTime()) ? word64(BigInt(v.getTime()) * 1000n) : undefined;
    case 10: {
      const digits = typeof v === "string" ? v.replaceAll("-", "") : "";
      if (!/^[0-9a-f]{32}$/i.test(digits)) return undefined;
      return Uint8Array.from({ length: 16 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
    }
    default:
      return undefined;
  }
}

function integer(v: bigint): Uint8Array | undefined {
  if (BigInt.asIntN(64, v) === v) return word64(v);
  const tag = BigInt.asIntN(128, v) === v ? 1 : 2;
  return tag === 2 && BigInt.asUintN(128, v) !== v ? undefined : Uint8Array.of(tag, ...word64(v), ...word64(v >> 64n));
}

export function word64(v: bigint): Uint8Array {
  const b = new Uint8Array(8);
  view(b).setBigInt64(0, v, true);
  return b;
}

/** A category as a value for people: of a class of texts, numbers or days its text, of others its bytes. */
export function keyText(b: Uint8Array, keyClass: bigint): string | number | bigint | boolean | Uint8Array {
  if (keyClass === 3n) return new TextDecoder().decode(b);
  if (keyClass === 10n && b.length === 16) {
    return [...b].map((c, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + c.toString(16).padStart(2, "0")).join("");
  }
  if (b.length !== 8) return b;
  const v = BigInt.asIntN(64, word(b));
  const n = Number(v);
  const day = new Date(n * dayLength);
  switch (keyClass) {
    case 1n:
      return Number.isSafeInteger(n) ? n : v;
    case 2n:
    case 32n:
      return view(b).getFloat64(0, true);
    case 5n:
      return v !== 0n;
    case 6n:
      if (!isNaN(day.getTime())) return day.toISOString().slice(0, 10);
  }
  return b;
}
