// The map: land, borders, and a layer of tiles between.
import { Map, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import { outlines } from "./outlines.js";

setWorkerUrl(new URL("assets/worker.mjs", document.baseURI).href);

const dark = matchMedia("(prefers-color-scheme: dark)");

function colours() {
  return dark.matches
    ? { sea: "#10151c", land: "#1d252f", border: "#8896a5", name: "#dfe6ee", halo: "#10151c" }
    : { sea: "#dfe8ee", land: "#fbfaf7", border: "#6c7a86", name: "#27313b", halo: "#ffffff" };
}

function style(countries) {
  const c = colours();
  const source = (data) => ({ type: "geojson", data, tolerance: 0.2 });
  const { land, borders, names } = outlines(countries);
  return {
    version: 8,
    sources: { land: source(land), borders: source(borders), names: source(names) },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": c.sea } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": c.land, "fill-antialias": false } },
      { id: "borders", type: "line", source: "borders", paint: { "line-color": c.border, "line-width": ["interpolate", ["linear"], ["zoom"], 2, 0.5, 8, 1.2] } },
      {
        id: "names", type: "symbol", source: "names", maxzoom: 9,
        // Small countries from where there is room for their names.
        filter: [">", ["get", "size"], ["step", ["zoom"], 60, 2, 25, 3, 8, 4, 2, 5, 0.3, 6, 0]],
        layout: { "text-field": ["get", "name"], "text-size": ["interpolate", ["linear"], ["zoom"], 1, 10, 5, 14], "text-max-width": 7, "symbol-sort-key": ["-", 0, ["get", "size"]] },
        paint: { "text-color": c.name, "text-halo-color": c.halo, "text-halo-width": 1.4 },
      },
    ],
  };
}

// finer loads outlines of 1:10 million once they make a difference.
const fine = 6;
function finer(map) {
  const load = async () => {
    if (map.getZoom() < fine) return;
    map.off("zoomend", load);
    const { land, borders } = outlines(await (await fetch("assets/countries-fine.json")).json());
    map.getSource("land").setData(land);
    map.getSource("borders").setData(borders);
    document.body.dataset.outlines = "fine";
  };
  map.on("zoomend", load);
  load();
}

// show makes the map; it is there once its promise is kept.
export async function show(container) {
  const countries = await (await fetch("assets/countries.json")).json();
  const map = new Map({
    container,
    style: style(countries),
    attributionControl: { compact: true, customAttribution: "Outlines: Natural Earth" },
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 20,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), "top-right");
  map.addControl(new ScaleControl(), "bottom-right");
  dark.addEventListener("change", () => {
    const c = colours();
    map.setPaintProperty("sea", "background-color", c.sea);
    map.setPaintProperty("land", "fill-color", c.land);
    map.setPaintProperty("borders", "line-color", c.border);
    map.setPaintProperty("names", "text-color", c.name);
    map.setPaintProperty("names", "text-halo-color", c.halo);
  });
  await map.once("load");
  finer(map);
  return map;
}

// heat puts the tiles at an address on the map, below the outlines. Those before go
// first: nothing is shown that belongs to another choice.
export function heat(map, address) {
  cold(map);
  map.addSource("heat", { type: "raster", tiles: [address], tileSize: 256, maxzoom: 20 });
  map.addLayer({ id: "heat", type: "raster", source: "heat", paint: { "raster-resampling": "nearest", "raster-fade-duration": 0 } }, "borders");
}

// cold takes the tiles away.
export function cold(map) {
  if (map.getLayer("heat")) map.removeLayer("heat");
  if (map.getSource("heat")) map.removeSource("heat");
}

// mark outlines a box, or nothing.
export function mark(map, b) {
  const ring = b && [[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]], [b[0], b[1]]];
  const data = { type: "FeatureCollection", features: ring ? [{ type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: ring } }] : [] };
  if (map.getSource("mark")) map.getSource("mark").setData(data);
  else if (ring) {
    map.addSource("mark", { type: "geojson", data });
    map.addLayer({ id: "mark", type: "line", source: "mark", paint: { "line-color": dark.matches ? "#ffffff" : "#10151c", "line-width": 1.5 } });
  }
}

// box is the part of the world that the map shows: west, south, east, north.
export function box(map) {
  const b = map.getBounds();
  return [Math.max(b.getWest(), -180), Math.max(b.getSouth(), -90), Math.min(b.getEast(), 180), Math.min(b.getNorth(), 90)];
}

// pixel is the side of a pixel of the tiles that the map shows, in degrees of longitude.
export const pixel = (map) => 360 / 256 / 2 ** Math.max(Math.round(map.getZoom() + 1), 0);
