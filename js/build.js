// Builds dist/: one minified module, and its types.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { rm, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { internalNames } from "./names.js";

const from = (path) => fileURLToPath(new URL(path, import.meta.url));

// A page that reads a sketch should not wait for its reader.
const mostBytes = 30_000;

const entry = from("src/index.ts");
await rm(from("dist"), { recursive: true, force: true });
await build({
  entryPoints: [entry],
  outfile: from("dist/index.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  mangleProps: new RegExp(`^(${internalNames([entry]).join("|")})$`),
  logLevel: "warning",
});
const { size } = await stat(from("dist/index.js"));
if (size > mostBytes) {
  throw new Error(`dist/index.js has ${size} bytes, at most ${mostBytes} are allowed`);
}
execFileSync(process.execPath, [from("node_modules/typescript/bin/tsc"), "-p", from(".")], { stdio: "inherit" });
console.log(`dist/index.js: ${size} bytes`);
