// Queries for an area: the sum, the bars of a column, and the hottest places.
import { Marker } from "maplibre-gl";
import * as api from "./api.js";
import { app, choice, drawable, latest } from "./app.js";
import { boxArea } from "./areas.js";
import { bars } from "./bars.js";
import { nearest } from "./places.js";
import { box, boxes, toMap } from "./plane.js";
import { element, made, many, span, sqlBox, whole } from "./text.js";
import { unfold } from "./view.js";

const line = (className, text) => made("p", className, text);

// current throws if the query was cancelled.
const current = (signal) => signal.throwIfAborted();

export const askSum = latest(async (signal, seen) => {
  clearSum();
  if (!app.area || !drawable()) return;
  const { versus } = app;
  const asked = { ...choice(), polygon: app.area };
  const [a, other] = await Promise.all([api.sum(asked, signal), versus && api.sum({ ...asked, ...versus }, signal)]);
  current(signal);
  app.answers.answer = a;
  element("answer").replaceChildren(
    line("figure", (a.low === a.high ? "" : "≈ ") + whole(a.estimate)),
    line("quiet", a.low === a.high && a.cells > 0 ? `points exactly, in the ${whole(a.cells)} cells whose centre is inside` : `points, ${span(a)}`),
    ...(a.low !== a.high && a.certain ? [line("quiet", "The counts of a tree's squares are spread over them.")] : []),
    line("quiet", `${a.low !== a.high ? `${many(a.cells, "cell")}, ` : ""}${many(a.sketches, "sketch")}, ${a.ms.toFixed(1)} ms`),
    ...(other ? [line("versus", `${a.estimate >= other.estimate ? "+" : "−"}${whole(Math.abs(a.estimate - other.estimate))} against ${whole(other.estimate)}, ${span(other)}`)] : []),
    sqlBox(a.sql),
    ...(other ? [sqlBox(other.sql)] : []),
  );
  element("answer").dataset.estimate = a.estimate;
  if (seen) unfold(element("answer"));
});

export function clearSum() {
  delete app.answers.answer;
  element("answer").replaceChildren();
  delete element("answer").dataset.estimate;
}

// inQuestion returns the area of bars and places: the drawn area, or the view.
export function inQuestion() {
  if (app.area) return { polygon: app.area };
  const all = boxes(app.map, app.plane);
  return all.length === 1 ? { box: all[0] } : { polygon: { type: "MultiPolygon", coordinates: all.map((b) => boxArea(b).coordinates) } };
}

export const askBars = latest(async (signal, picked, pick) => {
  const by = element("bars-by").value;
  clearBars();
  if (!by || !drawable()) return;
  element("bars-where").textContent = app.area ? "in the area" : "in this view";
  const a = await api.bars({ ...choice(), ...inQuestion(), bars: by }, signal);
  current(signal);
  Object.assign(app.answers, { bars: a, barsBy: by });
  element("bars").replaceChildren(...bars({ ...a, certain: app.layer.dense === 0 }, by, picked, pick));
  element("bars").dataset.by = by;
});

export function clearBars() {
  delete app.answers.bars;
  delete element("bars").dataset.by;
  element("bars").replaceChildren();
}

let markers = [];

export const askSpots = latest(async (signal) => {
  clearSpots();
  if (!drawable()) return;
  if (app.map.isMoving()) await app.map.once("moveend"); // the query is about the view in which the map comes to rest
  const { plane } = app;
  const [west, , east] = box(app.map, plane);
  const apart = (east - west) / 60; // least distance between places, so that they can be distinguished in the view
  const h = await api.hotspots({ ...choice(), ...inQuestion(), k: 20, apart }, signal);
  const near = plane ? () => "" : await nearest();
  current(signal);
  app.answers.spots = h;
  const list = made("ol");
  for (const [i, s] of h.spots.entries()) {
    s.near = near(s.x, s.y);
    const where = plane ? `${Math.round(s.x)}, ${Math.round(s.y)}` : `${s.x.toFixed(4)}, ${s.y.toFixed(4)}`;
    const button = list.appendChild(made("li")).appendChild(made("button", "", `${whole(s.count)} ${s.near ? `near ${s.near}` : `at ${where}`}`));
    button.title = where;
    const center = toMap([s.x, s.y], plane);
    button.addEventListener("click", () => app.map.flyTo({ center, zoom: Math.max(app.map.getZoom(), plane ? 4 : 11) }));
    markers.push(new Marker({ element: made("div", "pin", String(i + 1)) }).setLngLat(center).addTo(app.map));
  }
  const none = h.spots.length === 0 ? [line("quiet", "No points here.")] : [list];
  element("spots").replaceChildren(...none, line("quiet", `each the largest within ${apart.toPrecision(2)}${plane ? "" : "°"}, ${h.ms.toFixed(1)} ms`), sqlBox(h.sql));
});

export function clearSpots() {
  for (const m of markers) m.remove();
  markers = [];
  delete app.answers.spots;
  element("spots").replaceChildren();
}
