// The vector tiles in a MapLibre page of another origin, which reads TileJSON: what it
// finds in them, as JSON.
//
//   node tiles.mjs PAGE FOLDER-FOR-SCREENSHOTS BROWSER TILEJSON
import { folder, launched, url } from "./browser.mjs";

const tileJSON = process.argv[5];
const browser = await launched();
const context = await browser.newContext({ viewport: { width: 800, height: 600 } });
context.setDefaultTimeout(0);
const page = await context.newPage();
const problems = [];
page.on("pageerror", (e) => problems.push(String(e)));
page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
await page.goto(url);
const counts = await page.evaluate(async (tileJSON) => {
  const { Map, setWorkerUrl } = await import("./maplibre-gl.mjs");
  setWorkerUrl(new URL("./maplibre-gl-worker.mjs", location.href).href);
  const map = new Map({
    container: "map", center: [1, 51], zoom: 8,
    style: {
      version: 8,
      sources: { cells: { type: "vector", url: tileJSON } },
      layers: [{ id: "cells", type: "fill", source: "cells", "source-layer": "cells", paint: { "fill-color": ["interpolate", ["linear"], ["get", "count"], 1, "#0271c2", 10, "#e76d04"] } }],
    },
  });
  await map.once("idle");
  return map.queryRenderedFeatures({ layers: ["cells"] }).map((f) => f.properties.count);
}, tileJSON).catch((e) => [String(e)]);
await page.screenshot({ path: `${folder}/other-origin.png` });
await browser.close();
console.log(JSON.stringify({ counts: counts.length, most: Math.max(...counts), problems }));
