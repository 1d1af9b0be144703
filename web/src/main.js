// The page of ccbfsql serve: what is chosen, and what follows from it.
import { about, offers, reason } from "./about.js";
import * as api from "./api.js";
import { app, byCategory, drawable, fail, forget, labelOf, latest, nameOf, picture, shownLayer, sliderOf, title } from "./app.js";
import { areaOf, boundsOf } from "./areas.js";
import { basemap } from "./basemap.js";
import { drawing } from "./draw.js";
import { csv, geoJSON, png } from "./export.js";
import { filters, timeOf } from "./filters.js";
import { freeSlot, listLayers } from "./layers.js";
import { legend } from "./legend.js";
import { cold, ground, heat, naming, outlined, show } from "./map.js";
import { box, moved, pixel, toLayer, toMap } from "./plane.js";
import { pointing } from "./pointer.js";
import { askBars, askSpots, askSum, clearBars, clearSpots, clearSum } from "./questions.js";
import { pointOut, searching } from "./search.js";
import { read, written } from "./state.js";
import { copied, element, whole } from "./text.js";
import { dark, paletteOf } from "./theme.js";
import { askTime, play, showTime, timing } from "./time.js";
import { fit, fold, goTo } from "./view.js";
import { watching } from "./watch.js";
import { watered } from "./water.js";

let clearPointer = () => {};
const looks = new Map(); // of layers: where their points are
const lookOf = (layer) => looks.get(layer);

// onMap is whether a layer of the stack is drawn: together with others only by degrees.
const onMap = (shown) => drawable(shown) && (shown === app.shown || (!app.plane && lookOf(shown.layer)?.degrees));

// paint draws the map in colours for what is in view.
const paint = latest(async (signal) => {
  const { plane } = app;
  const [view, side] = [box(app.map, plane), pixel(app.map, plane)];
  const style = (shown) => ({ palette: paletteOf(shown), scale: shown.scale });
  const scales = await Promise.all(app.stack.map((shown) => onMap(shown) && lookOf(shown.layer) ? api.scale(picture(shown), view, side, style(shown), signal) : undefined))
    .catch((error) => {
      if (!signal.aborted) cool();
      throw error;
    });
  signal.throwIfAborted();
  const addresses = app.stack.map((shown, i) => {
    const scale = scales[i];
    if (!scale?.top) return "";
    const steps = shown.scale === "equal" && !shown.versus ? { steps: scale.steps.map((v) => Number(v.toPrecision(6))).join(",") } : {};
    return api.tiles(picture(shown), { ...style(shown), top: Number(scale.top.toPrecision(6)), ...steps }, app.version) + `#${shown.opacity}`;
  });
  const drawn = addresses.filter(Boolean).join(" ");
  app.scale = scales.at(-1);
  app.legend = legend(scales, restyle, () => zoomToData(true));
  if ((document.body.dataset.tiles ?? "") === drawn) return;
  for (let i = 0; i < 3; i++) cold(app.map, i);
  addresses.forEach((a, i) => a && heat(app.map, i, a.split("#")[0], app.stack[i].opacity));
  if (drawn) document.body.dataset.tiles = drawn;
  else delete document.body.dataset.tiles;
});

// cool takes pixels and legend away.
function cool() {
  for (let i = 0; i < 3; i++) cold(app.map, i);
  delete document.body.dataset.tiles;
  app.scale = undefined;
  app.legend = legend([]);
}

function restyle(change) {
  Object.assign(app.shown, change);
  keep(false);
  paint();
}

function keep(step) {
  const { map, layer, shown, area, place } = app;
  const { lng, lat } = map.getCenter().wrap();
  const view = [Number(lng.toFixed(5)), Number(lat.toFixed(5)), Number(map.getZoom().toFixed(2))];
  const others = app.stack.slice(0, -1).map(({ layer: l, where, palette, scale, opacity }) => ({ layer: nameOf(l), where, palette, scale, opacity }));
  const address = written({ ...shown, layer: nameOf(layer), view, others, area, place, bars: element("bars-by").value || undefined });
  if (address !== location.hash) history[step ? "pushState" : "replaceState"](null, "", address);
}

// pick chooses by a bar, or no longer.
function pick(value) {
  const by = element("bars-by").value;
  choose(by, picked(value) ? undefined : { by, value });
}

function picked(value) {
  const by = element("bars-by").value;
  const w = app.where.find((c) => c.by === by);
  if (!w || value === null) return false;
  const { values } = sliderOf(app.layer, by);
  const at = values.indexOf(value);
  return at >= values.indexOf(w.value) && at <= values.indexOf(w.to ?? w.value);
}

// compare keeps what is chosen now, to show by how much the next choice differs; or
// forgets it.
function compare() {
  app.versus = app.versus ? undefined : { where: app.where };
  changed();
}

// choose takes words for a column, or none for all of its values. A window of time is no step
// of the history.
function choose(column, words, step = true) {
  app.where = [...app.where.filter((w) => w.by !== column), ...(words ? [words] : [])];
  changed(step);
}

// changed is after every change of rows: nothing that belongs to the former stays.
function changed(step = true) {
  forget();
  clearSum();
  clearSpots();
  clearBars();
  clearPointer();
  showFilters();
  keep(step);
  asked();
}

let painted; // settled once the map has its tiles to load

// asked asks all that the page shows of what is chosen.
function asked() {
  if (!drawable()) return cool();
  painted = paint();
  askSum();
  askBars(picked, pick);
  askTime();
}

function showFilters() {
  const { layer, where, versus } = app;
  element("compare").setAttribute("aria-pressed", Boolean(versus));
  element("compared").textContent = versus ? title() : "";
  element("rows").hidden = layer.sliders.length === 0 && !layer.categories;
  filters(layer, where, choose);
  showTime();
}

// setPlace marks a place that was looked up, or none.
function setPlace(place) {
  app.place = place && [place.name, ...place.at];
  pointOut(app.map, place);
}

// setArea takes an area, or none; drawn says that it is on the map already, seen that its
// answer is to be in sight.
function setArea(area, { drawn, ask = true, seen = false } = {}) {
  app.area = area;
  if (!drawn) area ? app.draw.show(moved(area, toMap, app.plane)) : app.draw.clear();
  if (!area) element("box").value = "";
  element("clear").disabled = !area;
  element("hot").textContent = area ? "In the area" : "In this view";
  element("hint").textContent = "";
  element("error").hidden = true;
  clearSpots();
  clearPointer();
  clearSum();
  if (!ask) return;
  keep(true);
  askSum(seen);
  askBars(picked, pick);
  askTime();
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
  if (innerWidth <= 640) fold(true);
  element("hint").textContent = mode === "polygon"
    ? touch ? "Tap the corners of the area; tap the first one again to close it." : "Click the corners of the area; click the first one again, or press Enter, to close it. Esc cancels."
    : touch ? "Tap two opposite corners of the box." : "Click two opposite corners of the box. Esc cancels.";
  app.draw.begin(mode);
}

// look asks where a layer's points are, once.
async function look(layer) {
  if (!lookOf(layer)) looks.set(layer, await api.look(layer));
  return lookOf(layer);
}

function zoomToData(animate) {
  const seen = lookOf(app.layer);
  if (seen && drawable()) fit(seen.box, animate);
}

// showActive shows the layer that questions are about, in a state that an address gave or anew.
const showActive = latest(async (signal, state = {}) => {
  const { layer } = app;
  play(false);
  const columns = layer.sliders.map((s) => s.column);
  app.where = app.where.filter((w) => columns.includes(w.by) || (w.by === byCategory && layer.categories));
  element("bars-by").replaceChildren(...layer.sliders.map((s) => new Option(labelOf(s), s.column)));
  const time = timeOf(layer)?.column; // which the histogram has
  element("bars-by").value = columns.includes(state.bars) ? state.bars : columns.find((c) => c !== time) ?? time ?? "";
  element("bars-section").hidden = columns.length === 0;
  listLayers({ activate, remove, add });
  about(layer);
  clearBars();
  clearSum();
  clearSpots();
  clearPointer();
  const others = app.stack.slice(0, -1).map((s) => look(s.layer).catch(() => undefined));
  const seen = layer.error || layer.rows === 0 ? undefined : await look(layer);
  await Promise.all(others);
  signal.throwIfAborted();
  app.plane = seen?.plane;
  ground(app.map, app.plane);
  setArea(state.area, { ask: false });
  setPlace(state.place && { name: state.place[0], at: state.place.slice(1) });
  element("find").value = state.place?.[0] ?? "";
  element("search").classList.toggle("nowhere", Boolean(app.plane));
  cool();
  showFilters();
  if (!seen) return keep(false);
  if (state.view) app.map.jumpTo({ center: state.view.slice(0, 2), zoom: state.view[2] });
  else if (!state.stay) zoomToData(false);
  if (app.plane) reason("The coordinates are not longitudes and latitudes: the layer is shown in its own plane.");
  else if (seen.outside > 0 && !state.view) element("about").textContent += `. The first view leaves out about ${whole(seen.outside)} points elsewhere`;
  if (seen.beyond > 0) element("about").textContent += `. About ${whole(seen.beyond)} points are beyond 180° of longitude or 90° of latitude: areas count them, the map does not show them`;
  if (!drawable() && layer.total !== 0) reason("Counters cannot list their categories: enter one under Rows.");
  keep(false);
  asked();
});

function activate(shown) {
  forget();
  app.stack = [...app.stack.filter((s) => s !== shown), shown];
  showActive({ stay: true, area: app.area, place: app.place }).then(() => keep(true));
}

function remove(shown) {
  app.stack = app.stack.filter((s) => s !== shown);
  activate(app.shown);
}

function add() {
  const layer = app.layers.find((l) => !app.stack.some((s) => s.layer === l)) ?? app.layers[0];
  app.stack.push(shownLayer(layer, freeSlot()));
  activate(app.shown);
}

// replace shows another layer in place of the one that questions were about.
function replace(layer) {
  forget();
  app.stack = [...app.stack.slice(0, -1), shownLayer(layer, app.shown.slot)];
  showActive().then(() => keep(true));
}

// gone stands for a layer that an address names and nobody has.
const gone = (name) => ({
  table: name.slice(0, name.lastIndexOf(".")), column: name.slice(name.lastIndexOf(".") + 1), rows: 0, exact: 0, dense: 0, total: 0, bytes: 0, sliders: [],
  error: `There are no sketches in ${name} any more: the table was dropped or renamed. Choose another layer.`,
});

// restore shows what an address says; here is whether the view stays as it is.
function restore(here) {
  const state = read();
  forget();
  const named = (name) => app.layers.find((l) => nameOf(l) === name);
  const layer = state.layer === undefined ? app.layers[0] : named(state.layer) ?? gone(state.layer);
  const others = state.others.filter((o) => named(o.layer)).slice(0, 2);
  app.stack = [...others.map((o, i) => shownLayer(named(o.layer), i + 1, o)), shownLayer(layer, 0, state)];
  return showActive({ ...state, stay: here });
}

function askText(text) {
  try {
    const area = areaOf(text);
    const [west, south, east, north] = boundsOf(area);
    if (!app.plane && (east < -180 || west > 180 || north < -90 || south > 90)) {
      throw new Error("The area is outside the world: longitudes are from -180 to 180, latitudes from -90 to 90.");
    }
    begin(undefined);
    setArea(area, { seen: true });
    element("box").value = text.length < 200 ? text : "";
    fit([west, south, east, north], true);
  } catch (error) {
    fail(error);
  }
}

function wire(map) {
  const on = (id, f, event = "click") => element(id).addEventListener(event, f);
  on("layer", (e) => app.layers[e.target.value] && replace(app.layers[e.target.value]), "change");
  on("compare", compare);
  on("draw-polygon", () => begin("polygon"));
  on("draw-box", () => begin("rectangle"));
  on("clear", () => setArea(undefined));
  on("hot", () => askSpots());
  on("zoom-data", () => zoomToData(true));
  on("bars-by", () => {
    keep(false);
    askBars(picked, pick);
  }, "change");
  on("fold", () => fold(!element("panel").classList.contains("folded")));
  on("box-form", (e) => {
    e.preventDefault();
    element("error").hidden = true;
    askText(element("box").value);
  }, "submit");
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", async (e) => {
    e.preventDefault();
    const [file] = e.dataTransfer.files;
    askText(file ? await file.text() : e.dataTransfer.getData("text"));
  });
  on("save-png", () => png(map, title(), app.legend).catch(fail));
  on("save-csv", () => csv(title(), app.answers));
  on("save-geojson", () => geoJSON(title(), app.area, app.answers));
  on("link", () => copied(location.href).then(() => (element("link").textContent = "Copied"), fail));
  addEventListener("keydown", (e) => {
    if (e.key === "Escape") begin(undefined);
  });
  addEventListener("popstate", () => restore(false));
  dark.addEventListener("change", () => paint());
  map.on("moveend", () => {
    keep(false);
    if (!drawable()) return;
    paint();
    if (app.area) return;
    askBars(picked, pick);
    askTime();
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

// renew shows new rows in the view that there is.
async function renew(version) {
  app.version = version;
  app.layers = await api.layers();
  looks.clear();
  if (app.layers.length === 0 && !read().layer) return offers(api);
  await restore(true);
}

// background is all that the picture does without: it is loaded after it.
async function background(map) {
  const below = await api.basemap();
  map.hasBasemap = Boolean(below.kind);
  if (below.kind) {
    await basemap(map, below, dark.matches).catch((e) => fail(new Error(`The basemap: ${e.message}`)));
  } else watered(map).then(() => ground(map, app.plane)).catch((error) => console.error(error));
  const countries = outlined(map);
  countries.then(() => naming(map)).then(() => (document.body.dataset.background = "true"));
  ground(map, app.plane);
  return countries;
}

async function main() {
  const [map, layers] = await Promise.all([show("map"), api.layers()]);
  Object.assign(app, { map, layers });
  element("map").map = map; // for the console, and for tests
  ({ version: app.version } = await api.version());
  let busy = false;
  const toArea = (geometry) => moved(geometry, toLayer, app.plane);
  app.draw = drawing(map, (area) => {
    busy = true; // the click that ended it asks for nothing else
    setTimeout(() => (busy = false));
    begin(undefined);
    setArea(toArea(area), { seen: true });
    if (innerWidth <= 640) fit(boundsOf(app.area), true); // above the panel, which unfolds
  }, (area) => setArea(toArea(area), { drawn: true, seen: true }));
  if (innerWidth <= 640) fold(true);
  clearPointer = pointing(map, () => busy || document.querySelector("#draw-polygon[aria-pressed=true], #draw-box[aria-pressed=true]") !== null);
  timing((column, words) => choose(column, words, false));
  wire(map);
  watching(renew);
  if (layers.length === 0 && !read().layer) await offers(api);
  else await restore(false);
  document.body.dataset.ready = "true";
  await painted;
  if (document.body.dataset.tiles) await map.once("idle");
  document.body.dataset.picture = performance.now();
  const countries = background(map);
  searching(countries, (place) => {
    setPlace(place);
    if (place) goTo(place);
    keep(true);
  });
  await countries;
}

main().catch(fail);
