// Queries of an exported page. They return the same results as ccbfsql serve, from the same sketches.
import { polygonArea } from "../../../js/src/area.ts";
import { Grid } from "../../../js/src/grid.ts";
import { bias } from "../../../js/src/zorder.ts";
import { boundsOf, boxArea } from "../areas.js";
import { chosen, meeting, opened, valueOf } from "./rows.js";
import { drawn, latitude, mercator, spread, stepsOf } from "./picture.js";

const tileSide = 256;
const mostPixels = 2048; // largest number of pixels of a view along an axis
const crowd = 4; // minimum number of points of the last colour
const steps = 16; // number of colours in a legend
const mostBars = 200;
const candidates = 2000; // least number of the largest cells among which distant places are selected
const mostLevel = 30;

export async function answers(files) {
  const { layers, sketches, palettes, more, less } = await opened(files);
  const of = ({ table, column }) => layers.find((l) => l.table === table && l.column === column);

  // asked returns the layer, area and rows of a query, and a function that measures its time.
  async function asked(question) {
    const start = performance.now();
    const layer = of(question);
    const polygon = question.polygon ?? boxArea(question.box);
    const box = boundsOf(polygon);
    return { layer, polygon, box, ...chosen(layer, question.where), ms: () => performance.now() - start };
  }

  async function overlapping(rows, box) {
    const near = meeting(rows, box);
    const found = await sketches(near);
    return near.map((row, i) => ({ row, sketch: found[i] })).filter(({ sketch }) => overlaps(sketch, box));
  }

  // values returns the number of points of each pixel in a box. With versus, it subtracts the points of
  // the compared rows.
  async function values(choice, box, width, height) {
    const layer = of(choice);
    const one = async (where) => {
      const { rows, keys } = chosen(layer, where);
      const pixels = new Float64Array(width * height);
      spread(pixels, await sketches(meeting(rows, box)), box, width, height, keys);
      return pixels;
    };
    const pixels = await one(choice.where);
    if (!choice.versus) return pixels;
    const theirs = await one(choice.versus.where);
    return pixels.map((v, i) => (Math.abs(v - theirs[i]) < 1e-9 * theirs[i] ? 0 : v - theirs[i]));
  }

  const lowOf = (layer, side) => Math.min(1, side ** 2 / layer.res ** 2);

  return {
    layers: () => layers.map(({ rowsOf, keys, parts, look, ...layer }) => layer),
    look: (choice) => of(choice).look,

    async sum(question) {
      const { layer, polygon, box, rows, keys, ms } = await asked(question);
      const found = await overlapping(rows, box);
      const all = total(found.map(({ sketch }) => sketch.estimate(polygon, keys)));
      const grids = new Map(found.map(({ sketch }) => [sketch.info().res, sketch]));
      const cells = Math.max(0, ...[...grids.values()].map((sketch) => sketch.cellsIn(polygon)));
      return { ...all, certain: layer.dense === 0, cells, sketches: found.length, ms: ms() };
    },

    async bars(question) {
      const by = question.bars;
      const layer = of(question);
      const where = question.where?.filter((w) => w.by !== by);
      const { polygon, box, rows, keys, categories, ms } = await asked({ ...question, where });
      const found = await overlapping(rows, box);
      const slider = layer.sliders.findIndex((s) => s.column === by);
      const values = layer.sliders[slider].values;
      let bars = [];
      if (layer.sliders[slider].category) {
        const groups = Map.groupBy(categories ?? layer.keys.keys(), (c) => valueOf(layer, layer.sliders[slider], c));
        bars = [...groups].map(([i, group]) => ({ value: values[i] ?? null, ...total(found.map(({ sketch }) => sketch.estimate(polygon, group.map((c) => layer.keys[c])))) })).filter((b) => b.high > 0);
      } else {
        const groups = Map.groupBy(found, ({ row }) => row.values[slider]);
        bars = [...groups].map(([i, group]) => ({ value: i < 0 ? null : values[i], ...total(group.map(({ sketch }) => sketch.estimate(polygon, keys))) }));
      }
      const after = (a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : a > b ? 1 : 0);
      bars.sort((a, b) => b.estimate - a.estimate || after(a.value, b.value));
      return { bars: question.all ? bars : bars.slice(0, mostBars), all: bars.length, ms: ms() };
    },

    async hotspots(question) {
      const { layer, polygon, box, rows, keys, ms } = await asked(question);
      const found = await overlapping(rows, box);
      if (layer.exact < layer.rows && found.length > 1) throw new Error("An exported page finds the hottest places of one tree, and not of several. Choose one row by the filters.");
      const grid = new Grid(layer.res);
      let places = squaresOf(found, box, keys).sort(byCount).slice(0, Math.max(candidates, question.k));
      for (const p of places) [p.x, p.y] = [grid.edge(p.column + p.side / 2), grid.edge(p.row + p.side / 2)];
      if (question.polygon) {
        const area = polygonArea(grid, polygon);
        places = places.filter(({ x, y }) => area.contains(grid.cell(x), grid.cell(y)));
      }
      places.sort((a, b) => b.count - a.count || b.y - a.y || b.x - a.x);
      const near = (a, b) => Math.abs(a.x - b.x) <= question.apart && Math.abs(a.y - b.y) <= question.apart;
      const spots = [];
      for (let i = 0; i < places.length && spots.length < question.k; i++) {
        if (!places.slice(0, i).some((before) => near(before, places[i]))) spots.push(places[i]);
      }
      return { spots: spots.map(({ x, y, count, side }) => ({ x, y, count, side: grid.edge(side) })), ms: ms() };
    },

    async at(choice, x, y, least) {
      const layer = of(choice);
      let side = 1;
      for (let level = 0; side * layer.res < least && level < mostLevel; level++) side *= 2;
      const { rows, keys } = chosen(layer, choice.where);
      const first = (v) => Math.floor(Math.floor(v / layer.res) / side) * side;
      const box = [first(x), first(y), first(x) + side, first(y) + side].map((v) => v * layer.res);
      const found = await overlapping(rows, box);
      return { box, cells: side ** 2, ...total(found.map(({ sketch }) => sketch.estimate(box, keys))) };
    },

    async scale(choice, box, pixel, style) {
      const layer = of(choice);
      const high = layer.look.plane ? pixel : pixel * Math.max(Math.cos(((box[1] + box[3]) / 2) * (Math.PI / 180)), 0.05);
      const side = (length, p) => Math.min(Math.max(Math.ceil(length / p), 1), mostPixels);
      const [width, height] = [side(box[2] - box[0], pixel), side(box[3] - box[1], high)];
      const pixels = (await values(choice, box, width, height)).map(Math.abs);
      const largest = pixels.reduce((a, b) => Math.max(a, b), 0);
      const legend = (p) => Array.from({ length: steps + 1 }, (_, i) => p[Math.floor((i * (p.length - 1)) / steps)]);
      const s = {
        top: 0, low: lowOf(layer, pixel), pixel, sampled: false, dense: false, hidden: false, spread: layer.exact < layer.rows,
        colours: choice.versus ? [...legend(less).reverse(), ...legend(more)] : legend(palettes[style.palette]),
      };
      if (largest === 0) return s;
      const area = ((box[2] - box[0]) * (box[3] - box[1])) / pixels.length;
      const round = (v) => 2 ** (Math.ceil(2 * Math.log2(v)) / 2);
      s.top = Math.max(round(largest / area), (crowd * s.low) / pixel ** 2);
      if (style.scale === "equal" && !choice.versus) {
        s.steps = stepsOf(steps, { scale: "equal" }, pixels).map((v) => round(v / area));
      } else {
        s.steps = stepsOf(steps, { scale: choice.versus ? "log" : style.scale, low: s.low, top: s.top * pixel ** 2 }).map((v) => v / pixel ** 2);
      }
      return s;
    },

    async tile({ choice, style }, z, x, y) {
      const layer = of(choice);
      const { plane } = layer.look;
      const size = 2 ** z;
      let [box, height] = [undefined, tileSide];
      if (plane) {
        const side = plane.side / size;
        const [west, north] = [plane.west + x * side, plane.north - y * side];
        box = [west, north - side, west + side, north];
      } else {
        box = [(x / size) * 360 - 180, latitude(y + 1, z), ((x + 1) / size) * 360 - 180, latitude(y, z)];
        height = 2 * tileSide; // the counts are first in rows of even height in degrees, and then moved to rows of the tile
      }
      let pixels = await values(choice, box, tileSide, height);
      if (!plane) pixels = mercator(pixels, tileSide, z, y, box[1], box[3]);
      const side = (box[2] - box[0]) / tileSide;
      const low = lowOf(layer, side);
      const o = { low, top: style.top * side ** 2 };
      if (choice.versus) return createImageBitmap(drawn(pixels, tileSide, o, more, less));
      const steps = style.scale === "equal" ? style.steps.split(",").map((v) => v * side ** 2) : undefined;
      return createImageBitmap(drawn(pixels, tileSide, { ...o, one: low, scale: style.scale, steps, top: steps?.at(-1) ?? o.top }, palettes[style.palette]));
    },
  };
}

// squaresOf returns the squares of sketches that meet an area, each with the largest count that one of its
// cells can have: the points of the square and of all squares around it, also of other sketches.
function squaresOf(found, area, keys) {
  const squares = new Map();
  const name = (column, row, side) => `${column} ${row} ${side}`;
  let largest = 1;
  for (const { sketch } of found) {
    sketch.each(area, (column, row, side, own) => {
      const square = squares.get(name(column, row, side));
      if (square) square.own += own;
      else squares.set(name(column, row, side), { column, row, side, own });
      largest = Math.max(largest, side);
    }, keys);
  }
  for (const square of squares.values()) {
    square.count = 0;
    for (let side = square.side; side <= largest; side *= 2) {
      const first = (n) => Math.floor((n + bias) / side) * side - bias;
      square.count += squares.get(name(first(square.column), first(square.row), side))?.own ?? 0;
    }
  }
  return [...squares.values()];
}

// byCount compares squares in the order of ccbf_top_k.
const byCount = (a, b) => b.count - a.count || a.side - b.side || a.row - b.row || a.column - b.column;

// total adds up estimates and their bounds.
function total(estimates) {
  const all = { estimate: 0, low: 0, high: 0 };
  for (const e of estimates) for (const name in all) all[name] += e[name];
  return all;
}

// overlaps reports whether a sketch can have cells whose centres lie in a box.
function overlaps(sketch, box) {
  const b = sketch.bounds();
  const half = sketch.info().res / 2;
  return Boolean(b) && b[0] + half < box[2] && b[2] - half >= box[0] && b[1] + half < box[3] && b[3] - half >= box[1];
}
