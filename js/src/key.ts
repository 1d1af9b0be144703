import { fail } from "./bytes.js";

/** A key or a category; a Uint8Array is its bytes, of whatever class. */
export type Key = string | number | bigint | boolean | Date | Uint8Array;

/** The bytes of a key of a class (docs/FORMAT.md, Keys). */
export function keyBytes(v: Key, keyClass: bigint): Uint8Array {
  if (v instanceof Uint8Array) return v;
  const bytes = scalar(v, keyClass);
  return bytes ?? fail(`key: ${typeof v} ${String(v)} does not fit keys of class ${keyClass}`);
}

function scalar(v: Exclude<Key, Uint8Array>, keyClass: bigint): Uint8Array | undefined {
  switch (keyClass) {
    case 0n: // no key was seen
      return new Uint8Array(0);
    case 1n:
      if (typeof v === "bigint") return integer(v);
      return typeof v === "number" && Number.isSafeInteger(v) ? integer(BigInt(v)) : undefined;
    case 2n:
      return typeof v === "number" ? double(v) : undefined;
    case 32n:
      return typeof v === "number" && (Math.fround(v) === v || v !== v) ? double(v) : undefined;
    case 3n:
    case 4n:
      return typeof v === "string" ? new TextEncoder().encode(v) : undefined;
    case 5n:
      return typeof v === "boolean" ? word64(BigInt(v)) : undefined;
    case 6n: {
      const ms = v instanceof Date ? v.getTime() : typeof v === "string" ? Date.parse(v) : NaN;
      return ms % 86_400_000 === 0 ? word64(BigInt(ms / 86_400_000)) : undefined;
    }
    case 8n:
    case 9n:
      return v instanceof Date && Number.isFinite(v.getTime()) ? word64(BigInt(v.getTime()) * 1000n) : undefined;
    case 10n: {
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
  const tag = BigInt.asIntN(128, v) === v ? 1 : BigInt.asUintN(128, v) === v ? 2 : 0;
  return tag === 0 ? undefined : Uint8Array.of(tag, ...word64(v), ...word64(v >> 64n));
}

function double(v: number): Uint8Array {
  const b = new Uint8Array(8);
  if (v !== v) return word64(0x7ff8000000000000n);
  new DataView(b.buffer).setFloat64(0, v + 0, true);
  return b;
}

export function word64(v: bigint): Uint8Array {
  const b = new Uint8Array(8);
  new DataView(b.buffer).setBigUint64(0, BigInt.asUintN(64, v), true);
  return b;
}

/** What a category is called: its text where the class is one of text, numbers or days. */
export function keyText(b: Uint8Array, keyClass: bigint): string | number | bigint | boolean | Uint8Array {
  const number = (): bigint => BigInt.asIntN(64, new DataView(b.buffer, b.byteOffset, 8).getBigUint64(0, true));
  switch (keyClass) {
    case 3n:
      return new TextDecoder().decode(b);
    case 1n: {
      if (b.length !== 8) break;
      const v = number();
      return Number.isSafeInteger(Number(v)) ? Number(v) : v;
    }
    case 2n:
    case 32n:
      if (b.length === 8) return new DataView(b.buffer, b.byteOffset, 8).getFloat64(0, true);
      break;
    case 5n:
      if (b.length === 8) return number() !== 0n;
      break;
    case 6n: {
      const day = b.length === 8 ? new Date(Number(number()) * 86_400_000) : undefined;
      if (day && !isNaN(day.getTime())) return day.toISOString().slice(0, 10);
      break;
    }
    case 10n:
      if (b.length === 16) {
        return [...b].map((c, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + c.toString(16).padStart(2, "0")).join("");
      }
      break;
  }
  return b;
}
