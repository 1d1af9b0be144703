// Holds the reader against the answers of test/vectors, which Go made.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { open, SketchError } from "../dist/index.js";

const folder = new URL("../../test/vectors/", import.meta.url);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

/** Families that are for other readers. */
const notRead = new Set(["sbf", "cbf", "top"]);

/** Shares of squares are doubles, added in another order. */
const close = (got, want, about) => assert.ok(Math.abs(got - want) <= 1e-9 * Math.max(1, Math.abs(want)), `${about}: ${got}, not ${want}`);

const number = (text) => Number(text);

const asked = {
  count: (s, q) => assert.equal(Number(q.key === undefined ? s.count(q.x, q.y, q.category) : s.count(q.key)), number(q.answer)),
  contains: (s, q) => assert.equal(s.contains(q.key), q.answer),
  boxSum: (s, q) => assert.equal(s.boxSum(q.box, q.category), number(q.answer)),
  polygonSum: (s, q) => assert.equal(s.polygonSum(q.polygon, q.category), number(q.answer)),
  estimate(s, q) {
    const e = s.estimate(q.box ?? q.polygon, q.category);
    assert.equal(e.low, number(q.answer.low));
    assert.equal(e.high, number(q.answer.high));
    close(e.estimate, q.answer.estimate, "estimate");
  },
  cells(s, q) {
    const order = (a, b) => a[1] - b[1] || a[0] - b[0] || a[2] - b[2];
    const got = s.cells(q.box, q.category).map(({ x, y, side, count }) => [x, y, side, count]);
    assert.deepEqual(got.sort(order), q.answer.map(([x, y, side, n]) => [x, y, side, number(n)]));
  },
  categories(s, q) {
    const got = s.categories().map(({ key, total }) => [Buffer.from(key).toString("base64"), total]);
    assert.deepEqual(got.sort(), q.answer.map(([key, n]) => [key, number(n)]).sort());
  },
  raster: (s, q) => assert.deepEqual([...s.raster(q.box, q.width, q.height, q.category)], q.answer.map(number)),
};

let asks = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  for (const v of JSON.parse(readFileSync(new URL(file, folder)))) {
    if (notRead.has(v.family)) {
      test(`${v.name} is refused`, () => assert.throws(() => open(bytes(v.blob)), SketchError));
      continue;
    }
    test(v.name, () => {
      const s = open(bytes(v.blob));
      assert.equal(s.info().family, v.family);
      if (v.form) assert.equal(s.info().form, v.form);
      for (const q of v.questions) {
        asks++;
        const key = q.key === undefined ? undefined : bytes(q.key);
        const category = q.category === undefined ? undefined : bytes(q.category);
        try {
          asked[q.ask](s, { ...q, key, category });
        } catch (err) {
          err.message = `${JSON.stringify(q).slice(0, 300)}: ${err.message}`;
          throw err;
        }
      }
    });
  }
}

test("there were questions", () => assert.ok(asks > 1000, `${asks}`));
