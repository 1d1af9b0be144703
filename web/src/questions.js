// Questions for an area: how many, by what, and where most are.
import { Marker } from "maplibre-gl";
import * as api from "./api.js";
import { app, choice, drawable, latest } from "./app.js";
import { bars } from "./bars.js";
import { box } from "./map.js";
import { element, made, many, span, sqlBox, whole } from "./text.js";

const line = (className, text) => made("p", className, text);

// current checks that an answer is still wanted.
const current = (signal) => signal.throwIfAborted();

export const askSum = latest(async (signal) => {
  clearSum();
  if (!app.area || !drawable()) return;
  const { versus } = app;
  const asked = { ...choice(), polygon: app.area };
  const [a, other] = await Promise.all([api.sum(asked, signal), versus && api.sum({ ...asked, ...versus }, signal)]);
  current(signal);
  app.answers.answer = a;
  element("answer").replaceChildren(
    line("figure", (a.low === a.high ? "" : "≈ ") + whole(a.estimate)),
    line("quiet", `points, ${span(a)}`),
    line("quiet", `${many(a.cells, "cell")}, ${many(a.sketches, "sketch")}, ${a.ms.toFixed(1)} ms`),
    ...(other ? [line("versus", `${a.estimate >= other.estimate ? "+" : "−"}${whole(Math.abs(a.estimate - other.estimate))} against ${whole(other.estimate)}, ${span(other)}`)] : []),
    sqlBox(a.sql),
    ...(other ? [sqlBox(other.sql)] : []),
  );
  element("answer").dataset.estimate = a.estimate;
});

export function clearSum() {
  delete app.answers.answer;
  element("answer").replaceChildren();
  delete element("answer").dataset.estimate;
}

// inQuestion is the area that bars and places are of: the one drawn, or the view.
const inQuestion = () => (app.area ? { polygon: app.area } : { box: box(app.map) });

export const askBars = latest(async (signal, picked, pick) => {
  const by = element("bars-by").value;
  clearBars();
  if (!by || !drawable()) return;
  element("bars-where").textContent = app.area ? "in the area" : "in this view";
  const a = await api.bars({ ...choice(), ...inQuestion(), bars: by }, signal);
  current(signal);
  Object.assign(app.answers, { bars: a, barsBy: by });
  element("bars").replaceChildren(...bars({ ...a, certain: app.layer.dense === 0 }, picked, pick));
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
  if (app.map.isMoving()) await app.map.once("moveend"); // in the view that it comes to
  const [west, , east] = box(app.map);
  const apart = (east - west) / 60; // places that can be told apart
  const h = await api.hotspots({ ...choice(), ...inQuestion(), k: 20, apart }, signal);
  current(signal);
  app.answers.spots = h;
  const list = made("ol");
  for (const [i, s] of h.spots.entries()) {
    const button = list.appendChild(made("li")).appendChild(made("button", "", `${whole(s.count)} at ${s.x.toFixed(4)}, ${s.y.toFixed(4)}`));
    button.addEventListener("click", () => app.map.flyTo({ center: [s.x, s.y], zoom: Math.max(app.map.getZoom(), 11) }));
    markers.push(new Marker({ element: made("div", "pin", String(i + 1)) }).setLngLat([s.x, s.y]).addTo(app.map));
  }
  element("spots").replaceChildren(list, line("quiet", `each the largest within ${apart.toPrecision(2)}°, ${h.ms.toFixed(1)} ms`), sqlBox(h.sql));
});

export function clearSpots() {
  for (const m of markers) m.remove();
  markers = [];
  delete app.answers.spots;
  element("spots").replaceChildren();
}

