// The page of ccbfsql serve: the selection, and what is shown of it.
import { about, offers, reason } from "./about.js";
import * as api from "./api.js";
import { app, drawable, fail, forget, latest, nameOf, picture, shownLayer, sliderOf, title } from "./app.js";
import { areaOf, boundsOf, inWorld } from "./areas.js";
import { basemap } from "./basemap.js";
import { drawing } from "./draw.js";
import { csv, geoJSON, png } from "./export.js";
import { byCategory, filters, labelOf, timeOf } from "./filters.js";
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
const looks = new Map(); // for each layer, the result of look: where its points are
const lookOf = (layer) => looks.get(layer);

// onMap reports whether a layer of the stack is drawn. Several layers are drawn together only if they are in degrees.
const onMap = (shown) => drawable(shown) && (shown === app.shown || (!app.plane && lookOf(shown.layer)?.degrees));

// paint draws the map, with colours scaled to what is in view.
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

// cool removes tiles and legend.
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

// pick selects the value of a bar, or removes this selection.
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

// compare keeps the current selection, so that the next one is compared with it. A second call ends the
// comparison.
function compare() {
  app.versus = app.versus ? undefined : { where: app.where };
  changed();
}

// choose sets the condition of a column, or removes it. With step false, as for windows of time, it adds no
// step to the browser's history.
function choose(column, words, step = true) {
  app.where = [...app.where.filter((w) => w.by !== column), ...(words ? [words] : [])];
  changed(step);
}

// changed clears all results and runs the queries again, after every change of the selected rows.
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

let painted; // promise that is settled once the map has tiles to load

// asked runs all queries that the page shows for the selection.
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

// setPlace marks a place that was found by name, or removes the mark.
function setPlace(place) {
  app.place = place && [place.name, ...place.at];
  pointOut(app.map, place);
}

// setArea sets or removes the area of queries. drawn: the area is already on the map. seen: scroll to its
// result.
function setArea(area, { drawn, ask = true, seen = false } = {}) {
  app.area = area && !app.plane ? inWorld(area) : area;
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

// begin starts drawing, or cancels it.
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

// look fetches where a layer's points are, once.
async function look(layer) {
  if (!lookOf(layer)) looks.set(layer, await api.look(layer));
  return lookOf(layer);
}

function zoomToData(animate) {
  const seen = lookOf(app.layer);
  if (seen && drawable()) fit(seen.box, animate);
}

// showActive shows the active layer, with the state of an address or with defaults.
const showActive = latest(async (signal, state = {}) => {
  const { layer } = app;
  play(false);
  const columns = layer.sliders.map((s) => s.column);
  const known = (w) => columns.includes(w.by) || (w.by === byCategory && layer.categories);
  const unknown = app.where.filter((w) => !known(w));
  app.where = app.where.filter(known);
  element("bars-by").replaceChildren(...layer.sliders.map((s) => new Option(labelOf(s), s.column)));
  const time = timeOf(layer)?.column; // the histogram shows this column, so the bars begin with another one if possible
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
  if (unknown.length) fail(new Error(`${nameOf(layer)} has no column ${unknown.map((w) => JSON.stringify(w.by)).join(", ")} any more: the rows are not selected by it.`));
  element("find").value = state.place?.[0] ?? "";
  element("search").classList.toggle("nowhere", Boolean(app.plane));
  cool();
  showFilters();
  if (!seen) return keep(false);
  if (state.view) app.map.jumpTo({ center: state.view.slice(0, 2), zoom: state.view[2] });
  else if (!state.stay) zoomToData(false);
  if (app.plane) reason("The coordinates are not longitudes and latitudes: the layer is shown in its own plane.");
  else if (seen.outside > 0 && !state.view) element("about").textContent += `. The first view leaves out about ${whole(seen.outside)} points elsewhere`;
  if (seen.beyond > 0) element("about").textContent += `. About ${whole(seen.beyond)} points are at or beyond 180° of longitude or 90° of latitude: the map does not show them, and only areas around the whole globe count them`;
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

// replace shows another layer in place of the active one.
function replace(layer) {
  forget();
  app.stack = [...app.stack.slice(0, -1), shownLayer(layer, app.shown.slot)];
  showActive().then(() => keep(true));
}

// gone returns a placeholder for a layer in an address that does not exist any more.
const gone = (name) => ({
  table: name.slice(0, name.lastIndexOf(".")), column: name.slice(name.lastIndexOf(".") + 1), rows: 0, exact: 0, dense: 0, total: 0, bytes: 0, sliders: [],
  error: `There are no sketches in ${name} any more: the table was dropped or renamed. Choose another layer.`,
});

// restore shows the state in the address. With here, the view stays as it is.
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
    const area = areaOf(text, !app.plane);
    const [west, south, east, north] = boundsOf(area);
    if (!app.plane && (north < -90 || south > 90 || Math.max(-west, east) > 3600)) {
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
  on("save-csv", () => csv(title(), app.answers).catch(fail));
  on("save-geojson", () => geoJSON(title(), app.area, app.answers).catch(fail));
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
  // Tests wait for this until the picture is complete.
  map.on("dataloading", () => (document.body.dataset.idle = "false"));
  map.on("idle", () => (document.body.dataset.idle = "true"));
  map.on("error", async ({ error, sourceId }) => {
    if (sourceId === "basemap") return fail(new Error(`The basemap: ${error?.message}`));
    const text = await error?.body?.text?.().catch(() => "");
    if (!text && !error?.status) return;
    cool(); // an incomplete picture is not shown
    try {
      fail(new Error(JSON.parse(text).error));
    } catch {
      fail(error);
    }
  });
}

// renew shows new rows without changing the view.
async function renew(version) {
  app.version = version;
  app.layers = await api.layers();
  looks.clear();
  if (app.layers.length === 0 && !read().layer) return offers(api);
  await restore(true);
}

// background loads what is less important than the points: outlines, water and names.
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
  element("map").map = map; // so that the browser's console and tests can use the map
  ({ version: app.version } = await api.version());
  let busy = false;
  const toArea = (geometry) => moved(geometry, toLayer, app.plane);
  app.draw = drawing(map, (area) => {
    busy = true; // the click that ended the drawing is not a query
    setTimeout(() => (busy = false));
    begin(undefined);
    setArea(toArea(area), { seen: true });
    if (innerWidth <= 640) fit(boundsOf(toArea(area)), true); // above the panel, which unfolds
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
