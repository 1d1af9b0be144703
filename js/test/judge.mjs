// Says of BLOBs whether the reader takes them: of each on standard input, a length in four bytes
// and so many bytes, it writes 1 or 0. test/vectors asks it.
import { once } from "node:events";
import { open, SketchError } from "../dist/index.js";

let rest = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  rest = Buffer.concat([rest, chunk]);
  let at = 0;
  let answer = "";
  while (rest.length - at >= 4 && rest.length - at - 4 >= rest.readUInt32LE(at)) {
    const n = rest.readUInt32LE(at);
    answer += judge(rest.subarray(at + 4, at + 4 + n));
    at += 4 + n;
  }
  rest = rest.subarray(at);
  if (!process.stdout.write(answer)) await once(process.stdout, "drain");
}

function judge(blob) {
  try {
    open(blob);
    return "1";
  } catch (err) {
    if (err instanceof SketchError) return "0";
    console.error(blob.toString("hex"));
    throw err;
  }
}
