import { type Must, partOf } from "./bytes.js";

const must: Must = partOf("its bits");

/** The highest order of the class code. */
export const maxOrder = 56;

/** n bits, at most 40, beginning at bit at. */
export function bitsAt(b: Uint8Array, at: number, n: number): number {
  let v = 0;
  for (let i = Math.ceil((at + n) / 8); i-- > Math.floor(at / 8); ) v = v * 256 + b[i]!;
  return Math.floor(v / 2 ** (at % 8)) % 2 ** n;
}

/** n bits, however many, beginning at bit at. */
export function manyBitsAt(b: Uint8Array, at: number, n: number): bigint {
  return n > 40 ? BigInt(bitsAt(b, at, 32)) | (manyBitsAt(b, at + 32, n - 32) << 32n) : BigInt(bitsAt(b, at, n));
}

/** Whether all bits are 0 from bit at to the end. */
export function zerosFrom(b: Uint8Array, at: number): boolean {
  while (at < b.length * 8 && bitsAt(b, at, 1) === 0) at++;
  return at >= b.length * 8;
}

/** Reads bits, the least significant bit of a byte first, of up to 2^28 bytes. */
export class Bits {
  at = 0;
  /** The two halves, of 32 bits each, of the number that long or code read last. */
  low = 0;
  high = 0;

  constructor(private readonly b: Uint8Array) {}

  /** The next 25 bits, zeros after the end. */
  peek(): number {
    const { b } = this;
    const i = this.at >>> 3;
    return ((b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24)) >>> (this.at & 7)) & 0x1ffffff;
  }

  /** Reads n bits, at most 32. */
  read(n: number): number {
    if (n > 24) return this.read(16) + this.read(n - 16) * 65536;
    const v = this.peek() & ((1 << n) - 1);
    this.at += n;
    return v;
  }

  /** Reads n bits into low and high, below a bit that is 1 or 0. */
  long(n: number, highest: number): void {
    if (n < 32) {
      this.low = this.read(n) + ((highest << n) >>> 0);
      this.high = 0;
    } else {
      this.low = this.read(32);
      this.high = this.read(n - 32) + highest * 2 ** (n - 32);
    }
  }

  /** Reads a number in the class code of an order into low and high. */
  code(order: number): void {
    const next = this.peek();
    const e = 31 - Math.clz32(next & -next);
    const n = e > 0 ? e + order - 1 : order;
    if (next !== 0 && e + n < 25) {
      // Most numbers fit into these bits, and are read at once.
      this.low = ((next >>> (e + 1)) & ((1 << n) - 1)) + (e > 0 ? 1 << n : 0);
      this.high = 0;
      this.at += e + 1 + n;
      return;
    }
    let zeros = 0;
    for (let v = 0; v === 0; ) {
      v = this.peek();
      const more = v === 0 ? 25 : 31 - Math.clz32(v & -v);
      zeros += more;
      this.at += more;
      must(zeros + order <= 64);
    }
    this.at++;
    if (zeros > 0) this.long(zeros + order - 1, 1);
    else this.long(order, 0);
  }
}
