// The page of ccbfsql serve: what is chosen, and what follows from it.
import { about, reason } from "./about.js";
import * as api from "./api.js";
import { app, drawable, fail, forget, latest, picture, title } from "./app.js";
import { areaOf, boundsOf } from "./areas.js";
import { drawing } from "./draw.js";
import { csv, geoJSON, png } from "./export.js";
import { filters, textOf } from "./filters.js";
import { legend } from "./legend.js";
import { basemap } from "./basemap.js";
import { box, cold, heat, pixel, show } from "./map.js";
import { pointing } from "./pointer.js";
import { askBars, askSpots, askSum, clearBars, clearSpots, clearSum } from "./questions.js";
import { read, written } from "./state.js";
import { pointOut, searching } from "./search.js";
import { copied, element, whole } from "./text.js";
import { fit, fold, goTo } from "./view.js";
import { watered } from "./water.js";

const byCategory = "(category)"; // what the server calls bars of the sketches' own categories

let clearPointer = () => {};
let looks = {}; // of a layer, by its name: where its points are
const nameOf = (layer) => `${layer.table}.${layer.column}`;

// paint draws the map in colours for what is in view.
const paint = latest(async (signal) => {
  if (!drawable() || !looks[nameOf(app.layer)]?.degrees) return cool();
  try {
    const scale = await api.scale(picture(), box(app.map), pixel(app.map), signal);
    signal.throwIfAborted();
    if (!scale.top) {
      cool();
      app.legend = legend(scale);
      return;
    }
    const address = api.tiles(picture(), Number(scale.top.toPrecision(6)), app.version);
    app.scale = scale;
    app.legend = legend(scale, app.layer.res, app.map.getCenter().lat, app.versus);
    if (document.body.dataset.tiles !== address) {
      heat(app.map, address);
      document.body.dataset.tiles = address;
    }
  } catch (error) {
    if (!signal.aborted) cool();
    throw error;
  }
});

// cool takes pixels and legend away.
function cool() {
  cold(app.map);
  delete document.body.dataset.tiles;
  app.scale = undefined;
  app.legend = legend(undefined);
}

function keep(step) {
  const { map, layer, where, category, area, versus, place } = app;
  const { lng, lat } = map.getCenter();
  const view = [Number(lng.toFixed(5)), Number(lat.toFixed(5)), Number(map.getZoom().toFixed(2))];
  const address = written({ layer: nameOf(layer), view, where, category: layer.categories ? category : undefined, versus, area, place, bars: element("bars-by").value || undefined });
  if (address !== location.hash) history[step ? "pushState" : "replaceState"](null, "", address);
}

// pick chooses by a bar, or no longer.
function pick(value) {
  const by = element("bars-by").value;
  if (by === byCategory) {
    app.category = value;
    element("category").value = value;
    return changed();
  }
  choose(by, picked(value) ? undefined : { by, value });
}

function picked(value) {
  const by = element("bars-by").value;
  if (by === byCategory) return app.category === value;
  const w = app.where.find((c) => c.by === by);
  if (!w || value === null) return false;
  const values = app.layer.sliders.find((s) => s.column === by).values;
  const at = values.indexOf(value);
  return at >= values.indexOf(w.value) && at <= values.indexOf(w.to ?? w.value);
}

// compare keeps what is chosen now, to show by how much the next choice differs; or
// forgets it.
function compare() {
  const { where, category, layer } = app;
  app.versus = app.versus ? undefined : { where, ...(layer.categories ? { category } : {}) };
  changed();
}

// choose takes words for a column, or none for all of its values.
function choose(column, words) {
  app.where = [...app.where.filter((w) => w.by !== column), ...(words ? [words] : [])];
  changed();
}

// changed is after every change of rows: nothing that belongs to the former stays.
function changed(step = true) {
  forget();
  cool();
  clearSum();
  clearSpots();
  clearBars();
  clearPointer();
  showFilters();
  if (step) keep(true);
  if (!drawable()) return;
  paint();
  askSum();
  askBars(picked, pick);
}

function showFilters() {
  const { layer, where, versus } = app;
  element("compare").setAttribute("aria-pressed", Boolean(versus));
  element("compared").textContent = versus ? title() : "";
  element("rows").hidden = layer.sliders.length === 0 && !layer.categories;
  element("time").hidden = layer.sliders.length === 0;
  filters(layer, where, choose);
  const slider = layer.sliders[element("by").value];
  if (!slider) return;
  const w = where.find((c) => c.by === slider.column);
  const one = w && (!w.to || w.to === w.value);
  const text = w ? textOf(w) : "all";
  element("value").max = slider.values.length;
  element("value").value = one ? slider.values.indexOf(w.value) + 1 : 0;
  element("value-text").textContent = text;
  element("value").setAttribute("aria-valuetext", text);
}

function slide() {
  const slider = app.layer.sliders[element("by").value];
  const at = Number(element("value").value);
  choose(slider.column, at > 0 ? { by: slider.column, value: slider.values[at - 1] } : undefined);
}

let playing;
function play(start) {
  clearInterval(playing);
  const on = start ?? element("play").getAttribute("aria-pressed") !== "true";
  element("play").setAttribute("aria-pressed", on);
  element("play").textContent = on ? "⏸" : "▶";
  if (!on) return;
  playing = setInterval(() => {
    const v = element("value");
    v.value = (Number(v.value) % Number(v.max)) + 1;
    slide();
  }, 1200);
}

// setPlace marks a place that was looked up, or none.
function setPlace(place) {
  app.place = place && [place.name, ...place.at];
  pointOut(app.map, place);
}

// setArea takes an area, or none; drawn says that it is on the map already.
function setArea(area, { drawn, ask = true } = {}) {
  app.area = area;
  if (!drawn) area ? app.draw.show(area) : app.draw.clear();
  element("clear").disabled = !area;
  element("hot").textContent = area ? "In the area" : "In this view";
  element("hint").textContent = area && !touch ? "Drag its corners to change it." : "";
  element("error").hidden = true;
  clearSpots();
  clearPointer();
  clearSum();
  if (!ask) return;
  keep(true);
  askSum();
  askBars(picked, pick);
}

const touch = matchMedia("(pointer: coarse)").matches;

// begin starts drawing, or gives it up.
function begin(mode) {
  const buttons = { polygon: element("draw-polygon"), rectangle: element("draw-box") };
  const on = mode && buttons[mode].getAttribute("aria-pressed") !== "true";
  const was = Object.values(buttons).some((b) => b.getAttribute("aria-pressed") === "true");
  for (const b of Object.values(buttons)) b.setAttribute("aria-pressed", "false");
  element("hint").textContent = "";
  if (!on) {
    if (was) app.draw.clear();
    return;
  }
  setArea(undefined);
  buttons[mode].setAttribute("aria-pressed", "true");
  if (touch) fold(true);
  element("hint").textContent = mode === "polygon"
    ? touch ? "Tap its corners; tap the first one again to close it." : "Click its corners; click the first one again, or press Enter, to close it. Esc cancels."
    : touch ? "Tap two opposite corners." : "Click two opposite corners. Esc cancels.";
  app.draw.begin(mode);
}

// chooseLayer shows a layer, in a state that an address gave or anew.
const chooseLayer = latest(async (signal, at, state = {}) => {
  const layer = (app.layer = app.layers[at]);
  element("layer").value = at;
  play(false);
  app.versus = state.versus;
  app.where = (state.where ?? []).filter((w) => layer.sliders.some((s) => s.column === w.by));
  const named = layer.categories && layer.names?.length > 0;
  app.category = layer.categories ? state.category ?? (named ? layer.names[0] : undefined) : undefined;
  element("category-label").hidden = !named;
  element("category-text-label").hidden = !layer.categories || Boolean(named);
  if (named) {
    const names = layer.names.includes(app.category) ? layer.names : [app.category, ...layer.names];
    element("category").replaceChildren(...names.map((n) => new Option(n === "" ? "(empty)" : n, n)));
    element("category").value = app.category;
  } else element("category-text").value = app.category ?? "";
  element("by").replaceChildren(...layer.sliders.map((s, i) => new Option(s.column, i)));
  const columns = [...(named ? [byCategory] : []), ...layer.sliders.map((s) => s.column)];
  element("bars-by").replaceChildren(...columns.map((c) => new Option(c, c)));
  if (columns.includes(state.bars)) element("bars-by").value = state.bars;
  else if (columns.length > 1 && !named) element("bars-by").value = columns[1]; // the first has the slider
  element("bars-section").hidden = columns.length === 0;
  about(layer);
  setArea(state.area, { ask: false });
  setPlace(state.place && { name: state.place[0], at: state.place.slice(1) });
  element("find").value = state.place?.[0] ?? "";
  clearBars();
  cool();
  showFilters();
  if (layer.error || layer.rows === 0) return keep(false);
  const look = (looks[nameOf(layer)] ??= await api.look(layer, signal));
  signal.throwIfAborted();
  if (!look.degrees) {
    const [west, south, east, north] = layer.bounds;
    reason(`These are not longitudes and latitudes: x is from ${west} to ${east}, y from ${south} to ${north}. The map needs degrees (ST_Transform in DuckDB's spatial extension converts to them); you can still enter an area as text.`);
  } else {
    if (look.outside > 0) element("about").textContent += `; ${whole(look.outside)} lie outside the first view`;
    const [west, , east] = look.box;
    if (state.view) app.map.jumpTo({ center: [state.view[0], state.view[1]], zoom: state.view[2] });
    else if (west < east) fit(look.box, false);
  }
  changed(false);
  keep(false);
});

// restore shows what an address says.
function restore(step) {
  const state = read();
  forget();
  const at = Math.max(app.layers.findIndex((l) => nameOf(l) === state.layer), 0);
  return chooseLayer(at, step || state.layer === undefined || nameOf(app.layers[at]) === state.layer ? state : {});
}

function askText(text) {
  try {
    const area = areaOf(text);
    begin(undefined);
    setArea(area);
    if (looks[nameOf(app.layer)]?.degrees) fit(boundsOf(area), true);
  } catch (error) {
    fail(error);
  }
}

// listed shows the names of the layers.
function listed() {
  element("layer").replaceChildren(...app.layers.map((l, i) => new Option(nameOf(l), i)));
}

// watch notices new rows.
const every = 5000; // milliseconds
async function watch() {
  if (document.hidden) return;
  const { version, waiting } = await api.version().catch(() => ({ version: app.version })); // it may have ended
  element("waiting").textContent = waiting ?? "";
  if (version === app.version) return;
  app.version = version;
  app.layers = await api.layers();
  looks = {};
  listed();
  await restore(true);
  document.body.dataset.version = version;
}

function wire(map) {
  element("layer").addEventListener("change", (e) => {
    forget();
    cool();
    chooseLayer(e.target.value).then(() => keep(true));
  });
  for (const id of ["category", "category-text"]) {
    element(id).addEventListener("change", (e) => {
      app.category = e.target.value;
      changed();
    });
  }
  element("by").addEventListener("change", () => {
    play(false);
    showFilters();
  });
  element("value").addEventListener("input", slide);
  element("play").addEventListener("click", () => play());
  element("compare").addEventListener("click", compare);
  element("draw-polygon").addEventListener("click", () => begin("polygon"));
  element("draw-box").addEventListener("click", () => begin("rectangle"));
  element("clear").addEventListener("click", () => setArea(undefined));
  element("hot").addEventListener("click", () => askSpots());
  element("bars-by").addEventListener("change", () => {
    keep(false);
    askBars(picked, pick);
  });
  element("fold").addEventListener("click", () => fold(!element("panel").classList.contains("folded")));
  element("box-form").addEventListener("submit", (e) => {
    e.preventDefault();
    element("error").hidden = true;
    askText(element("box").value);
  });
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", async (e) => {
    e.preventDefault();
    const [file] = e.dataTransfer.files;
    askText(file ? await file.text() : e.dataTransfer.getData("text"));
  });
  element("save-png").addEventListener("click", () => png(map, title(), app.scale, app.legend).catch(fail));
  element("save-csv").addEventListener("click", () => csv(title(), app.answers));
  element("save-geojson").addEventListener("click", () => geoJSON(title(), app.area, app.answers));
  element("link").addEventListener("click", () => copied(location.href).then(() => (element("link").textContent = "Copied"), fail));
  addEventListener("keydown", (e) => {
    if (e.key === "Escape") begin(undefined);
  });
  addEventListener("popstate", () => restore(true));
  map.on("moveend", () => {
    keep(false);
    if (!drawable()) return;
    paint();
    if (!app.area) askBars(picked, pick);
  });
  // For those who wait for the picture to be whole: tests.
  map.on("dataloading", () => (document.body.dataset.idle = "false"));
  map.on("idle", () => (document.body.dataset.idle = "true"));
  map.on("error", async ({ error, sourceId }) => {
    if (sourceId === "basemap") return fail(new Error(`The basemap: ${error?.message}`));
    const text = await error?.body?.text?.().catch(() => "");
    if (!text && !error?.status) return;
    cool(); // no pixels without the reason that others are missing
    try {
      fail(new Error(JSON.parse(text).error));
    } catch {
      fail(error);
    }
  });
}

async function main() {
  const [{ map, countries }, layers] = await Promise.all([show("map"), api.layers()]);
  Object.assign(app, { map, layers });
  element("map").map = map; // for the console, and for tests
  ({ version: app.version } = await api.version());
  const below = await api.basemap();
  if (below.kind) map.setLayoutProperty("places", "visibility", "none"); // it has its own
  else watered(map);
  let wrong;
  if (below.kind) await basemap(map, below, matchMedia("(prefers-color-scheme: dark)").matches).catch((e) => (wrong = new Error(`The basemap: ${e.message}`)));
  let busy = false;
  app.draw = drawing(map, (area) => {
    busy = true; // the click that ended it asks for nothing else
    setTimeout(() => (busy = false));
    begin(undefined);
    setArea(area);
  }, (area) => setArea(area, { drawn: true }));
  if (layers.length === 0) {
    throw new Error("No table in this database has a column of sketches of points. Create one, for example: CREATE TABLE t AS SELECT ccbf_agg(lon, lat, 0.01) ...");
  }
  listed();
  clearPointer = pointing(map, () => busy || document.querySelector("#draw-polygon[aria-pressed=true], #draw-box[aria-pressed=true]") !== null);
  if (innerWidth <= 640) fold(true);
  searching(countries, (place) => {
    setPlace(place);
    if (place) goTo(place);
    keep(true);
  });
  wire(map);
  await restore(false);
  if (wrong) fail(wrong); // after what clears errors
  setInterval(watch, every);
  document.body.dataset.ready = "true";
}

main().catch(fail);
