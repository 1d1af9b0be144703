/** What is wrong with the bytes of a sketch, or with a question. */
export class SketchError extends Error {
  override name = "SketchError";
}

export function fail(text: string): never {
  throw new SketchError(text);
}

/** Throws unless a condition of the format holds. */
export function must(holds: boolean, text: string): asserts holds {
  if (!holds) fail("not a valid sketch: " + text);
}

const largest = 2 ** 64;

/** The largest count, at which sums stay. */
export const full = (1n << 64n) - 1n;

/** Reads numbers from bytes, each in its only spelling. */
export class Bytes {
  at = 0;

  constructor(
    readonly b: Uint8Array,
    readonly what: string,
  ) {}

  get left(): number {
    return this.b.length - this.at;
  }

  byte(): number {
    must(this.at < this.b.length, `${this.what} end early`);
    return this.b[this.at++]!;
  }

  /** A varint of up to 64 bits. */
  big(): bigint {
    let low = 0;
    let high = 0n;
    for (let shift = 0; ; shift += 7) {
      const c = this.byte();
      must(shift < 63 || c < 2, `${this.what}: a number beyond 64 bits`);
      must(c > 0 || shift === 0, `${this.what}: a number longer than it need be`);
      if (shift < 49) low += (c & 127) * 2 ** shift;
      else high |= BigInt(c & 127) << BigInt(shift);
      if (c < 128) return high | BigInt(low);
    }
  }

  /** A varint that is at most most, which is at most 2^53. */
  number(most = Number.MAX_SAFE_INTEGER): number {
    const v = this.big();
    must(v <= BigInt(most), `${this.what}: ${v}, at most ${most} is allowed`);
    return Number(v);
  }

  /** A signed varint. */
  signed(): bigint {
    const v = this.big();
    return v & 1n ? -(v >> 1n) - 1n : v >> 1n;
  }

  /** The next n bytes, in place. */
  take(n: number): Uint8Array {
    must(n <= this.left, `${this.what} end early`);
    this.at += n;
    return this.b.subarray(this.at - n, this.at);
  }

  decimal(): number {
    const v = this.big();
    const places = Number(v & 31n);
    const digits = Number(v >> 5n);
    if (v === 31n) {
      const b = this.take(8);
      const d = new DataView(b.buffer, b.byteOffset, 8).getFloat64(0, true);
      must(!isDecimal(d), `${this.what}: ${d} in eight bytes`);
      return d;
    }
    must(places <= 22 && digits < 1e15 && (places === 0 || digits % 10 !== 0), `${this.what}: a decimal in another spelling`);
    return digits / power(places);
  }

  done(): void {
    must(this.left === 0, `${this.left} bytes after ${this.what}`);
  }
}

const power = (places: number): number => Number("1e" + places);

/** Whether a number has a decimal of 15 digits. */
function isDecimal(d: number): boolean {
  if (!(d >= 0 && d < 1e15) || Object.is(d, -0)) return false;
  for (let places = 0; places <= 22; places++) {
    const digits = Math.round(d * power(places));
    if (digits >= 1e15) return false;
    if (digits / power(places) === d) return true;
  }
  return false;
}

export function word(b: Uint8Array, at: number): bigint {
  return new DataView(b.buffer, b.byteOffset + at, 8).getBigUint64(0, true);
}

/** A sum that stays at 2^64-1, exact up to there. */
export class Sum {
  private small = 0;
  private large = 0n;

  add(n: number | bigint): void {
    if (typeof n === "number" && n <= Number.MAX_SAFE_INTEGER) {
      this.small += n;
      if (this.small <= Number.MAX_SAFE_INTEGER) return;
      this.small -= n;
    }
    this.large += BigInt(this.small) + BigInt(n);
    this.small = 0;
  }

  get exact(): bigint {
    const sum = this.large + BigInt(this.small);
    return sum < full ? sum : full;
  }

  /** The nearest double. */
  get value(): number {
    return this.large === 0n ? this.small : Number(this.exact);
  }
}

/** A number of 64 bits in two halves, as a double, or exactly where that rounds. */
export function joined(high: number, low: number): number | bigint {
  return high < 2 ** 21 ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
}

export function bounded(n: number): number {
  return n < largest ? n : largest;
}
