// What a user of the reader relies on beyond the answers of test/vectors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { open, SketchError } from "../dist/index.js";

const vectors = (name) => JSON.parse(readFileSync(new URL(`../../test/vectors/${name}.json`, import.meta.url)));
const blob = (file, name) => new Uint8Array(Buffer.from(vectors(file).find((v) => v.name === name).blob, "base64"));

test("a page asks a map", () => {
  const s = open(blob("covid", "covid/exact-categories"));
  assert.equal(s.info().form, "exact");
  const [xmin, ymin, xmax, ymax] = s.bounds();
  assert.ok(xmin < xmax && ymin < ymax);
  const all = s.boxSum([-180, -90, 180, 90]);
  assert.equal(BigInt(all), s.info().total);
  const italy = s.categories().find((c) => c.category === "Italy");
  assert.equal(s.boxSum([-180, -90, 180, 90], "Italy"), italy.total);
  assert.equal(s.boxSum([-180, -90, 180, 90], ["Italy", "France", "Italy"]),
    italy.total + s.boxSum([-180, -90, 180, 90], "France"));
  const pixels = s.raster([-180, -90, 180, 90], 36, 18);
  assert.equal(pixels.reduce((a, b) => a + b), all);
  assert.equal(s.cells().reduce((sum, c) => sum + c.count, 0), all);
});

test("bounds of a tree hold what the exact sketch counts", () => {
  const exact = open(blob("covid", "covid/exact"));
  const tree = open(blob("covid", "covid/tree"));
  for (let x = -180; x < 180; x += 15) {
    for (let y = -90; y < 90; y += 15) {
      const polygon = { type: "Polygon", coordinates: [[[x, y], [x + 30, y + 3], [x + 11, y + 26]]] };
      const truth = exact.polygonSum(polygon);
      const { low, estimate, high } = tree.estimate(polygon);
      assert.ok(low <= truth && truth <= high && low <= estimate && estimate <= high, `${low} ${truth} ${high}`);
    }
  }
});

test("a wrong question has an error that says so", () => {
  const s = open(blob("covid", "covid/exact"));
  assert.throws(() => s.count(0, 0, "Italy"), SketchError);
  assert.throws(() => s.count(NaN, 0), SketchError);
  assert.throws(() => open(null), /open needs a Uint8Array, not null/);
  assert.throws(() => open(new ArrayBuffer(3)), /open needs a Uint8Array, not object/);
  assert.throws(() => s.boxSum([1, 0, 0, 1]), SketchError);
  assert.throws(() => s.polygonSum({ type: "Point", coordinates: [0, 0] }), SketchError);
  assert.throws(() => s.raster([0, 0, 1, 1], 1e6, 1e6), SketchError);
  const dense = open(blob("covid", "covid/counters"));
  assert.throws(() => dense.cells(), SketchError);
  assert.throws(() => dense.categories(), SketchError);
  // Each cell of counters is looked up: of areas with very many of them none is.
  const wide = open(blob("ccbf", "ccbf/v1-dense-categories"));
  assert.throws(() => wide.boxSum([-1e15, -1e15, 1e15, 1e15], new Uint8Array(0)), /smaller/);
});

test("bytes that were cut or changed are refused", () => {
  for (const name of ["exact", "tree", "counters"]) {
    const b = blob("covid", `covid/${name}`);
    for (let n = 0; n < b.length; n += 7) assert.throws(() => open(b.subarray(0, n)), SketchError);
    for (let i = 0; i < b.length; i += 3) {
      const changed = b.slice();
      changed[i] ^= 16;
      assert.throws(() => open(changed), SketchError);
    }
  }
});

test("counters count 0 outside of the bounds", () => {
  const s = open(blob("covid", "covid/counters"));
  const [, , xmax, ymax] = s.bounds();
  for (let i = 1; i <= 100; i++) {
    assert.equal(s.count(xmax + i, 0), 0);
    assert.equal(s.count(0, ymax + i), 0);
  }
});
