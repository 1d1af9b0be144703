// Compares the speed of dist/ with that of another build of the reader, on sketches in files:
//
//	node bench.mjs path/to/other/index.js crimes.ccbf ...
//
// A ratio above 1 means that dist/ takes longer. Both take turns, and of each the fastest round counts.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const rounds = 25;
const [other, ...files] = process.argv.slice(2);
const readers = [await import("./dist/index.js"), await import(pathToFileURL(other))];

/** A star with 400 corners in the middle of a box. */
function star([xmin, ymin, xmax, ymax]) {
  const corners = Array.from({ length: 400 }, (_, i) => {
    const far = i % 2 ? 0.45 : 0.3;
    const angle = (i * 2 * Math.PI) / 400;
    return [(xmin + xmax) / 2 + far * (xmax - xmin) * Math.cos(angle), (ymin + ymax) / 2 + far * (ymax - ymin) * Math.sin(angle)];
  });
  return { type: "Polygon", coordinates: [[...corners, corners[0]]] };
}

const questions = {
  open: (s, blob, open) => open(blob),
  count: (s) => {
    const [xmin, ymin, xmax, ymax] = s.bounds();
    for (let i = 0; i < 100; i++) s.count(xmin + ((xmax - xmin) * i) / 100, (ymin + ymax) / 2);
  },
  polygonSum: (s) => s.polygonSum(star(s.bounds())),
  raster: (s) => s.raster(s.bounds(), 256, 256),
};

for (const file of files) {
  const blob = new Uint8Array(readFileSync(file));
  const sketches = readers.map(({ open }) => open(blob));
  for (const [name, ask] of Object.entries(questions)) {
    const best = [Infinity, Infinity];
    try {
      for (let round = 0; round < rounds; round++) {
        readers.forEach(({ open }, i) => {
          const start = performance.now();
          ask(sketches[i], blob, open);
          best[i] = Math.min(best[i], performance.now() - start);
        });
      }
    } catch (err) {
      console.log(`${file} ${name}: ${err.message}`);
      continue;
    }
    console.log(`${file} ${name}: ${best.map((ms) => ms.toFixed(2)).join(" and ")} ms, ratio ${(best[0] / best[1]).toFixed(2)}`);
  }
}
