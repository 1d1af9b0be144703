import { full as mask, word } from "./bytes.js";

const c1 = 0x87c37b91114253d5n;
const c2 = 0x4cf5ad432745937fn;
export const golden = 0x9e3779b97f4a7c15n;
export const spread = 0xd1342543de82ef95n;

/** The two halves of a hash, the second one odd. */
export type Hash = readonly [bigint, bigint];

const times = (a: bigint, b: bigint): bigint => (a * b) & mask;
const turned = (v: bigint, n: bigint): bigint => ((v << n) & mask) | (v >> (64n - n));

/** MurmurHash3's finalizer of 64 bits. */
export function mix(v: bigint): bigint {
  v = times(v ^ (v >> 33n), 0xff51afd7ed558ccdn);
  v = times(v ^ (v >> 33n), 0xc4ceb9fe1a85ec53n);
  return v ^ (v >> 33n);
}

/** MurmurHash3 x64 128 of a key, both halves of the state begun with the seed. */
export function hash(seed: bigint, key: Uint8Array): Hash {
  if (key.length < 16 && seed > 0n && seed < 16n) seed = mix(seed);
  if (key.length === 0 && seed === 0n) seed = 16n;
  let h1 = seed;
  let h2 = seed;
  const whole = key.length & ~15;
  const tail = new Uint8Array(16);
  tail.set(key.subarray(whole));
  for (let i = 0; i <= whole; i += 16) {
    const last = i === whole;
    const b = last ? tail : key.subarray(i, i + 16);
    h1 ^= times(turned(times(word(b, 0), c1), 31n), c2);
    const k2 = times(turned(times(word(b, 8), c2), 33n), c1);
    if (last) {
      h2 ^= k2;
      break;
    }
    h1 = (times(turned(h1, 27n) + h2, 5n) + 0x52dce729n) & mask;
    h2 ^= k2;
    h2 = (times(turned(h2, 31n) + h1, 5n) + 0x38495ab5n) & mask;
  }
  const length = BigInt(key.length);
  h1 ^= length;
  h2 ^= length;
  h1 = (h1 + h2) & mask;
  h2 = (h2 + h1) & mask;
  h1 = mix(h1);
  h2 = mix(h2);
  h1 = (h1 + h2) & mask;
  h2 = (h2 + h1) & mask;
  return [h1, h2 | 1n];
}

/** The hashes h1 + factor^i * h2. */
export function series([h1, h2]: Hash, n: number): bigint[] {
  const out: bigint[] = [];
  for (let step = h2; out.length < n; step = times(step, spread)) out.push((h1 + step) & mask);
  return out;
}

/** floor(x * n / 2^64). */
export const scaled = (x: bigint, n: number): number => Number((x * BigInt(n)) >> 64n);
