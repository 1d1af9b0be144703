import { must } from "./bytes.js";

/** The highest order of the class code. */
export const maxOrder = 56;

/** Reads bits, the least significant bit of a byte first, of up to 2^28 bytes. */
export class Bits {
  at = 0;
  /** The number that code read last, in two halves. */
  low = 0;
  high = 0;

  constructor(readonly b: Uint8Array) {}

  /** The next 25 bits, zeros after the end. */
  peek(): number {
    const { b } = this;
    const i = this.at >>> 3;
    return (((b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24)) >>> (this.at & 7)) & 0x1ffffff) >>> 0;
  }

  /** Reads n bits, at most 32. */
  read(n: number): number {
    if (n > 24) {
      const low = this.read(16);
      return low + this.read(n - 16) * 65536;
    }
    const v = this.peek() & ((1 << n) - 1);
    this.at += n;
    return v;
  }

  /** Reads a number of 64 bits in the class code of an order into low and high. */
  code(order: number): void {
    let zeros = 0;
    for (;;) {
      const v = this.peek();
      if (v !== 0) {
        const more = 31 - Math.clz32(v & -v);
        this.at += more + 1;
        zeros += more;
        break;
      }
      zeros += 25;
      this.at += 25;
      must(zeros <= 64, "a number beyond 64 bits in the class code");
    }
    must(zeros + order <= 64, "a number beyond 64 bits in the class code");
    const bits = zeros === 0 ? order : zeros + order - 1;
    this.low = this.read(Math.min(bits, 32));
    this.high = bits > 32 ? this.read(bits - 32) : 0;
    if (zeros > 0) {
      if (bits < 32) this.low += 2 ** bits;
      else this.high += 2 ** (bits - 32);
    }
  }

  /** Throws where more was read than there is. */
  within(end: number): void {
    must(this.at <= end, "bits end early");
  }
}

/** The bit length of a number in two halves. */
export function bitLength(high: number, low: number): number {
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(low);
}
