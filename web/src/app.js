// The state of the page, which all its parts use, and how errors are shown.
import { byCategory, labelOf, textOf } from "./filters.js";
import { element } from "./text.js";

// shownLayer is a layer on the map with its selected rows, the rows that these are compared with, and its
// colours. slot is the number that selects its default ramp.
export const shownLayer = (layer, slot, { where = [], versus, palette, scale = "log", opacity = 1 } = {}) => ({ layer, slot, where, versus, palette, scale, opacity });

export const app = {
  map: undefined,
  draw: undefined,
  layers: [], // all layers of the database
  stack: [], // the layers on the map, the lowest first; at most three. Queries are about the last one
  plane: undefined, // the plane of the last layer on the map, if it is not in degrees
  area: undefined, // the area of queries, in the layer's coordinates
  place: undefined, // the place that was searched: its name, longitude and latitude
  answers: {}, // the latest results for the area: its sum, its bars and its hottest places
  legend: [],
  version: 0, // version of the served data
  get active() { return this.stack.length - 1; },
  get shown() { return this.stack.at(-1); },
  get layer() { return this.shown.layer; },
  get where() { return this.shown.where; },
  set where(where) { this.shown.where = where; },
  get versus() { return this.shown.versus; },
  set versus(versus) { this.shown.versus = versus; },
};

// nameOf returns the name of a layer. A part that has a dot is quoted, as in SQL.
const quoted = (name) => (/[."]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
export const nameOf = (layer) => `${quoted(layer.table)}.${quoted(layer.column)}`;

// choice returns the selection of rows and categories for queries. picture adds the rows that it is
// compared with.
export const choice = ({ layer, where } = app.shown) => ({ table: layer.table, column: layer.column, where });
export const picture = (shown = app.shown) => ({ ...choice(shown), versus: shown.versus });

// title describes the selection in words.
export function title() {
  const { layer, where, versus } = app;
  return inWords(layer, where) + (versus ? ` compared with ${inWords(layer, versus.where)}` : "");
}

function inWords(layer, where) {
  return [nameOf(layer), ...where.map((w) => `${labelOf(sliderOf(layer, w.by))} ${textOf(sliderOf(layer, w.by), w)}`)].join(", ");
}

export const sliderOf = (layer, column) => layer.sliders.find((s) => s.column === column);

// drawable reports whether a layer can be queried. Counters with categories need a given category.
export const drawable = ({ layer, where } = app.shown) => !layer.error && layer.rows > 0 && layer.total !== 0 &&
  (!layer.categories || Boolean(sliderOf(layer, byCategory)) || where.some((w) => w.by === byCategory));

export function fail(error) {
  if (error.name === "AbortError") return;
  element("error").textContent = error.message;
  element("error").hidden = false;
}

const questions = [];

// asking counts the running queries, for tests that wait for them.
let underWay = 0;
function asking(more) {
  underWay += more;
  document.body.dataset.asking = underWay;
}

// latest returns a function that runs one query at a time: a new query cancels the one before, whose result
// is ignored.
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

// forget cancels all queries, and hides the error of the selection before.
export function forget() {
  for (const cancel of questions) cancel();
  element("error").hidden = true;
}
