// What is chosen, which all parts of the page share, and how errors are shown.
import { textOf } from "./filters.js";
import { element } from "./text.js";

export const byCategory = "(category)"; // the column of the sketches' own categories

// A layer on the map with what is chosen of it: rows by several columns, rows that these are
// compared with, and its colours; slot is the place that it has its own ramp by.
export const shownLayer = (layer, slot, { where = [], versus, palette, scale = "log", opacity = 1 } = {}) => ({ layer, slot, where, versus, palette, scale, opacity });

export const app = {
  map: undefined,
  draw: undefined,
  layers: [], // that there are
  stack: [], // on the map, from below; at most three. Questions are about the last
  plane: undefined, // of that one, if it is not in degrees
  area: undefined, // what is asked for, if there is one, in the layer's coordinates
  place: undefined, // that was looked up: its name, longitude and latitude
  answers: {}, // the latest: of the area, bars and places
  legend: [],
  version: 0, // of what is served
  get active() { return this.stack.length - 1; },
  get shown() { return this.stack.at(-1); },
  get layer() { return this.shown.layer; },
  get where() { return this.shown.where; },
  set where(where) { this.shown.where = where; },
  get versus() { return this.shown.versus; },
  set versus(versus) { this.shown.versus = versus; },
};

export const nameOf = (layer) => `${layer.table}.${layer.column}`;

// choice is the rows and points that all questions are about; picture is that, less what it is
// compared with.
export const choice = ({ layer, where } = app.shown) => ({ table: layer.table, column: layer.column, where });
export const picture = (shown = app.shown) => ({ ...choice(shown), versus: shown.versus });

// title says it in words.
export function title() {
  const { layer, where, versus } = app;
  return inWords(layer, where) + (versus ? ` compared with ${inWords(layer, versus.where)}` : "");
}

function inWords(layer, where) {
  return [nameOf(layer), ...where.map((w) => `${labelOf(sliderOf(layer, w.by))} ${textOf(sliderOf(layer, w.by), w)}`)].join(", ");
}

export const sliderOf = (layer, column) => layer.sliders.find((s) => s.column === column);

// labelOf is what a column is called.
export const labelOf = (slider) => (slider?.category ? ["category", slider.part].join(" ").trim() : slider?.column);

// drawable is whether there is something to ask: counters answer for a category that is given.
export const drawable = ({ layer, where } = app.shown) => !layer.error && layer.rows > 0 && layer.total !== 0 &&
  (!layer.categories || Boolean(sliderOf(layer, byCategory)) || where.some((w) => w.by === byCategory));

export function fail(error) {
  if (error.name === "AbortError") return;
  element("error").textContent = error.message;
  element("error").hidden = false;
}

const questions = [];

// asking counts the questions under way, for those who wait for answers: tests.
let underWay = 0;
function asking(more) {
  underWay += more;
  document.body.dataset.asking = underWay;
}

// latest runs one question at a time: a newer one cancels the one before. An answer that
// comes too late is nobody's.
export function latest(question) {
  let running;
  const ask = async (...args) => {
    running?.abort();
    const mine = (running = new AbortController());
    asking(1);
    try {
      await question(mine.signal, ...args);
    } catch (error) {
      if (!mine.signal.aborted) fail(error);
    } finally {
      asking(-1);
    }
  };
  questions.push(() => running?.abort());
  return ask;
}

// forget cancels all questions, and takes away what was said of a choice before.
export function forget() {
  for (const cancel of questions) cancel();
  element("error").hidden = true;
}
