/** An error in the bytes of a sketch, or in the arguments of a method. */
export class SketchError extends Error {
  override name = "SketchError";
}

export function fail(text: string): never {
  throw new SketchError(text);
}

/** Throws unless a condition of the format holds. */
export type Must = (holds: boolean) => asserts holds;

/** The conditions of a part of a sketch. */
export const partOf =
  (part: string): Must =>
  (holds) => {
    if (!holds) fail("not a valid sketch: " + part);
  };

const must: Must = partOf("its numbers");

/** The largest count, at which sums stay. */
export const full = 2n ** 64n - 1n;

export const atMost = (sum: bigint): bigint => (sum < full ? sum : full);

export const view = (b: Uint8Array, at = 0): DataView => new DataView(b.buffer, b.byteOffset + at);

export const word = (b: Uint8Array, at = 0): bigint => view(b, at).getBigUint64(0, true);

/** A number of 64 bits in two halves. */
export const joined = (high: number, low: number): bigint => (BigInt(high) << 32n) + BigInt(low);

/** Reads numbers from bytes, and accepts only their canonical encoding. */
export class Reader {
  constructor(
    private readonly b: Uint8Array,
    private at = 0,
  ) {}

  left(): number {
    return this.b.length - this.at;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** A varint of up to 64 bits. */
  big(): bigint {
    let low = 0;
    let high = 0n;
    for (let shift = 0; ; shift += 7) {
      const c = this.b[this.at++]!;
      must(c >= Math.sign(shift) && (shift < 63 || c < 2));
      if (shift < 49) low += (c & 127) * 2 ** shift;
      else high |= BigInt(c & 127) << BigInt(shift);
      if (c < 128) return high | BigInt(low);
    }
  }

  /** A varint that is at most most, which is at most 2^53. */
  number(most = Number.MAX_SAFE_INTEGER): number {
    const v = this.big();
    must(v <= most);
    return Number(v);
  }

  /** A signed varint. */
  signed(): bigint {
    const v = this.big();
    return v & 1n ? ~(v >> 1n) : v >> 1n;
  }

  /** The next n bytes, in place. */
  take(n: number): Uint8Array {
    must(n <= this.left());
    this.at += n;
    return this.b.subarray(this.at - n, this.at);
  }

  rest(): Uint8Array {
    return this.take(this.left());
  }

  decimal(): number {
    const v = this.big();
    if (v === 31n) {
      const d = view(this.take(8)).getFloat64(0, true);
      must(!isDecimal(d));
      return d;
    }
    const places = Number(v & 31n);
    const digits = Number(v >> 5n);
    must(places <= 22 && digits < 1e15 && (places === 0 || digits % 10 > 0));
    return digits / Number("1e" + places);
  }

  done(): void {
    must(this.left() === 0);
  }
}

/** The digits of the shortest decimal of a number, and the exponent of the last one. */
export function decimalOf(v: number): [digits: string, exponent: number] {
  const [digits, exponent] = v.toExponential().split("e") as [string, string];
  const [whole, part = ""] = digits.split(".") as [string, string?];
  return [whole + part, Number(exponent) - part.length];
}

/** Whether a number has a decimal of 15 digits. */
function isDecimal(d: number): boolean {
  const [digits, exponent] = decimalOf(d);
  return d >= 0 && d < 1e15 && !Object.is(d, -0) && digits.length < 16 && exponent >= -22;
}
