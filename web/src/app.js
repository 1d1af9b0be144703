// What is chosen, which all parts of the page share, and how errors are shown.
import { element } from "./text.js";
import { textOf } from "./filters.js";

export const app = {
  map: undefined,
  draw: undefined,
  layers: [],
  layer: undefined,
  where: [], // rows, by several columns
  category: undefined,
  versus: undefined, // rows and category that these are compared with
  area: undefined, // what is asked for, if there is one
  place: undefined, // that was looked up: its name, longitude and latitude
  answers: {}, // the latest: of the area, bars and places
  scale: undefined,
  legend: [],
  version: 0, // of what is served
};

// choice is the rows and points that all questions are about.
export function choice() {
  const { layer, where, category } = app;
  return { table: layer.table, column: layer.column, where, ...(layer.categories ? { category: category ?? "" } : {}) };
}

// picture is choice, less what it is compared with.
export const picture = () => ({ ...choice(), versus: app.versus });

// title says it in words.
export function title() {
  const { versus } = app;
  return inWords(app) + (versus ? ` compared with ${inWords({ layer: app.layer, ...versus })}` : "");
}

function inWords({ layer, where, category }) {
  return [`${layer.table}.${layer.column}`, ...(category !== undefined && layer.categories ? [category] : []), ...where.map((w) => `${w.by} ${textOf(w)}`)].join(", ");
}

export const drawable = () => !app.layer.error && app.layer.rows > 0 && (!app.layer.categories || Boolean(app.category) || app.layer.names?.includes(""));

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
