// Shows the cell below the pointer or the finger, and its count.
import { Popup } from "maplibre-gl";
import * as api from "./api.js";
import { app, choice, drawable, latest } from "./app.js";
import { mark } from "./map.js";
import { toLayer, toMap } from "./plane.js";
import { made, span, whole } from "./text.js";

const leastPixels = 6; // least side of a square that can be pointed at

export function pointing(map, busy) {
  const popup = new Popup({ closeButton: false, closeOnClick: false, className: "at", maxWidth: "260px", offset: 10 });
  const clear = () => {
    popup.remove();
    mark(map, undefined);
    delete document.body.dataset.at;
  };
  const ask = latest(async (signal, { lng, lat }) => {
    const { plane } = app;
    if (plane && Math.abs(lng) > 180 || Math.abs(lat) > 85.06 || !drawable()) return clear();
    const at = [plane ? lng : ((lng + 180) % 360 + 360) % 360 - 180, lat];
    const side = (leastPixels * (plane?.side ?? 360)) / 512 / 2 ** map.getZoom();
    const p = await api.at(choice(), ...toLayer(at, plane), side, signal).catch((error) => {
      if (error.name === "AbortError") throw error; // other errors are ignored: the tiles have shown them
    });
    signal.throwIfAborted();
    if (!p || p.high === 0) return clear();
    const text = made("div");
    text.append(
      made("strong", "", (p.low === p.high ? "" : "≈ ") + whole(p.estimate)),
      made("div", "", p.low === p.high ? "points" : `points, ${span({ ...p, certain: app.layer.dense === 0 })}`),
      made("div", "quiet", p.cells === 1 ? `one cell of ${app.layer.res}${plane ? "" : "°"}` : `${Math.sqrt(p.cells)} × ${Math.sqrt(p.cells)} cells`),
      made("div", "quiet", p.box.map((v) => Number(v.toFixed(6))).join(", ")),
    );
    popup.setLngLat([lng, lat]).setDOMContent(text).addTo(map);
    const turn = lng - at[0]; // degrees from the first copy of the world to the one at the pointer, a multiple of 360
    const [west, south, east, north] = [...toMap(p.box.slice(0, 2), plane), ...toMap(p.box.slice(2), plane)];
    mark(map, [west + turn, south, east + turn, north]);
    document.body.dataset.at = JSON.stringify(p);
  });
  let waiting;
  const later = (e) => {
    clearTimeout(waiting);
    if (busy() || map.isMoving()) return;
    waiting = setTimeout(() => ask(e.lngLat), 120);
  };
  if (matchMedia("(hover: hover)").matches) {
    map.on("mousemove", later);
    map.getContainer().addEventListener("mouseleave", () => {
      clearTimeout(waiting);
      clear();
    });
  }
  map.on("click", (e) => {
    clearTimeout(waiting);
    if (!busy()) ask(e.lngLat);
  });
  map.getCanvas().addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !busy()) ask(map.getCenter());
  });
  map.on("movestart", clear);
  return () => {
    clearTimeout(waiting);
    clear();
  };
}
