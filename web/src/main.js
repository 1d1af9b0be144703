// The page of ccbfsql serve: what is chosen, asked and shown.
import { Marker } from "maplibre-gl";
import * as api from "./api.js";
import { box, heat, show } from "./map.js";
import { drawing } from "./draw.js";

const element = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const rounded = (n) => number.format(Math.round(n));
const many = (n, what) => `${number.format(n)} ${what}${n === 1 ? "" : what.endsWith("h") ? "es" : "s"}`;

let map, draw, layers, layer;
let polygon; // the area asked for, if there is one
let markers = [];

// choice is the rows that all questions are about.
function choice() {
  const c = { table: layer.table, column: layer.column };
  const slider = layer.sliders[element("by").value];
  const at = Number(element("value").value);
  if (slider && at > 0) Object.assign(c, { by: slider.column, value: slider.values[at - 1] });
  if (layer.categories) c.category = element("category").value;
  return c;
}

function fail(error) {
  if (error.name === "AbortError") return;
  element("error").textContent = error.message;
  element("error").hidden = false;
}

// latest runs one question at a time: a newer one cancels the one before.
function latest(question) {
  let running;
  return async (...args) => {
    running?.abort();
    const mine = (running = new AbortController());
    element("error").hidden = true;
    try {
      await question(mine.signal, ...args);
    } catch (error) {
      fail(error);
    }
  };
}

// sqlBox shows the SQL behind an answer, ready to copy.
function sqlBox(sql) {
  const details = document.createElement("details");
  const summary = details.appendChild(document.createElement("summary"));
  summary.textContent = "SQL";
  details.appendChild(document.createElement("pre")).textContent = sql;
  const copy = details.appendChild(document.createElement("button"));
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(sql);
    copy.textContent = "Copied";
  });
  return details;
}

function line(className, text) {
  const p = document.createElement("p");
  p.className = className;
  p.textContent = text;
  return p;
}

const ask = latest(async (signal) => {
  if (!polygon) return;
  const a = await api.sum({ ...choice(), polygon }, signal);
  const exact = a.low === a.high;
  const answer = element("answer");
  answer.replaceChildren(
    line("figure", rounded(a.estimate)),
    line("quiet", exact ? "points, exactly" : `points, between ${rounded(a.low)} and ${rounded(a.high)} in 95 of 100 cases`),
    line("quiet", `${many(a.cells, "cell")}, ${many(a.sketches, "sketch")}, ${a.ms.toFixed(1)} ms`),
    sqlBox(a.sql),
  );
  answer.dataset.estimate = a.estimate;
});

const findHot = latest(async (signal) => {
  if (map.isMoving()) await map.once("moveend"); // in the view that it comes to
  const h = await api.hotspots(choice(), box(map), 20, signal);
  clearSpots();
  const list = document.createElement("ol");
  for (const [i, s] of h.spots.entries()) {
    const button = list.appendChild(document.createElement("li")).appendChild(document.createElement("button"));
    button.textContent = `${number.format(s.count)} at ${s.x.toFixed(4)}, ${s.y.toFixed(4)}`;
    button.addEventListener("click", () => map.flyTo({ center: [s.x, s.y], zoom: Math.max(map.getZoom(), 11) }));
    const pin = document.createElement("div");
    pin.className = "pin";
    pin.textContent = i + 1;
    markers.push(new Marker({ element: pin }).setLngLat([s.x, s.y]).addTo(map));
  }
  element("spots").replaceChildren(list, line("quiet", `${h.ms.toFixed(1)} ms`), sqlBox(h.sql));
});

function clearSpots() {
  for (const m of markers) m.remove();
  markers = [];
  element("spots").replaceChildren();
}

// begin starts drawing, or gives it up.
function begin(mode) {
  const buttons = { polygon: element("draw-polygon"), rectangle: element("draw-box") };
  const on = mode && buttons[mode].getAttribute("aria-pressed") !== "true";
  for (const b of Object.values(buttons)) b.setAttribute("aria-pressed", "false");
  element("hint").textContent = "";
  if (!on) {
    draw.clear();
    return;
  }
  setArea(undefined);
  buttons[mode].setAttribute("aria-pressed", "true");
  element("hint").textContent = mode === "polygon"
    ? "Click its corners; click the first one again, or press Enter, to close it. Esc gives up."
    : "Click two opposite corners. Esc gives up.";
  draw.begin(mode);
}

function setArea(area) {
  polygon = area;
  element("clear").disabled = !area;
  element("answer").replaceChildren();
  delete element("answer").dataset.estimate;
  if (area) ask();
}

function readBox(text) {
  const [west, south, east, north, ...rest] = text.split(/[\s,]+/).filter(Boolean).map(Number);
  if (rest.length || !(west < east && south < north)) {
    throw new Error("A box is four numbers: west, south, east, north.");
  }
  return [west, south, east, north];
}

function chooseLayer(at) {
  layer = layers[at];
  const share = layer.exact === layer.rows ? "exact" : layer.exact === 0 ? "not exact" : `${number.format(layer.exact)} of them exact`;
  element("about").textContent =
    `${many(layer.rows, "sketch")}, ${share}: ${number.format(layer.total)} points in cells of ${layer.res}, ${number.format(Math.ceil(layer.bytes / 1024))} KB`;
  element("category-label").hidden = !layer.categories;
  element("by").replaceChildren(...layer.sliders.map((s, i) => new Option(s.column, i)));
  element("time").hidden = layer.sliders.length === 0;
  chooseSlider();
  const [west, south, east, north] = layer.bounds;
  if (west < east) {
    map.fitBounds([west, Math.max(south, -85), east, Math.min(north, 85)], { padding: padding(), animate: false });
  }
}

// padding keeps what is shown clear of the panel.
function padding() {
  const panel = element("panel").getBoundingClientRect();
  const below = panel.width > innerWidth / 2; // a phone
  return below ? { top: 20, left: 20, right: 20, bottom: Math.min(panel.height, innerHeight / 2) + 20 }
    : { top: 40, right: 40, bottom: 80, left: panel.right + 40 };
}

function chooseSlider() {
  const slider = layer.sliders[element("by").value];
  element("value").max = slider ? slider.values.length : 0;
  element("value").value = 0;
  refresh();
}

// refresh shows what is chosen, and asks again about the area.
function refresh() {
  const slider = layer.sliders[element("by").value];
  const at = Number(element("value").value);
  const text = at > 0 ? slider.values[at - 1].replace(/ 00:00:00$/, "") : "all";
  element("value-text").textContent = text;
  element("value").setAttribute("aria-valuetext", text);
  if (!layer.categories || element("category").value !== "") {
    heat(map, api.tiles(choice()));
    ask();
  }
}

let playing;
function play() {
  clearInterval(playing);
  const on = element("play").getAttribute("aria-pressed") !== "true";
  element("play").setAttribute("aria-pressed", on);
  element("play").textContent = on ? "⏸" : "▶";
  if (!on) return;
  playing = setInterval(() => {
    const v = element("value");
    v.value = (Number(v.value) % Number(v.max)) + 1;
    refresh();
  }, 1200);
}

async function main() {
  [map, layers] = await Promise.all([show("map"), api.layers()]);
  draw = drawing(map, (area) => {
    begin(undefined);
    draw.show(area);
    setArea(area);
  });
  if (layers.length === 0) {
    throw new Error("No table of this database has a column of sketches of points: CREATE TABLE t AS SELECT ccbf_agg(lon, lat, 0.01) ...");
  }
  element("layer").replaceChildren(...layers.map((l, i) => new Option(`${l.table}.${l.column}`, i)));
  element("layer").addEventListener("change", (e) => {
    clearSpots();
    chooseLayer(e.target.value);
  });
  element("category").addEventListener("change", refresh);
  element("by").addEventListener("change", chooseSlider);
  element("value").addEventListener("input", refresh);
  element("play").addEventListener("click", play);
  element("draw-polygon").addEventListener("click", () => begin("polygon"));
  element("draw-box").addEventListener("click", () => begin("rectangle"));
  element("clear").addEventListener("click", () => {
    draw.clear();
    setArea(undefined);
  });
  element("hot").addEventListener("click", findHot);
  element("box-form").addEventListener("submit", (e) => {
    e.preventDefault();
    element("error").hidden = true;
    try {
      const [west, south, east, north] = readBox(element("box").value);
      const area = { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] };
      begin(undefined);
      draw.show(area);
      setArea(area);
      map.fitBounds([west, south, east, north], { padding: padding() });
    } catch (error) {
      fail(error);
    }
  });
  addEventListener("keydown", (e) => {
    if (e.key === "Escape") begin(undefined);
  });
  // For those who wait for the picture to be whole: tests.
  map.on("dataloading", () => (document.body.dataset.idle = "false"));
  map.on("idle", () => (document.body.dataset.idle = "true"));
  map.on("error", ({ error }) => {
    if (error?.status === 422) fail(new Error("A dense sketch without levels has too many cells to be drawn from so far: zoom in."));
  });
  map.on("zoomend", () => (element("error").hidden = true));
  chooseLayer(0);
  document.body.dataset.ready = "true";
}

main().catch(fail);
