// The map: land, borders, and a layer of tiles between.
import { Map, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import { outlines } from "./outlines.js";
import { labels, naming } from "./places.js";
import { colours, dark } from "./theme.js";
import { recoloured } from "./water.js";

setWorkerUrl(new URL("assets/worker.mjs", document.baseURI).href);

function style({ land, borders, names }) {
  const c = colours();
  const source = (data) => ({ type: "geojson", data, tolerance: 0.2 });
  return {
    version: 8,
    sources: { land: source(land), borders: source(borders), names: source(names), places: source({ type: "FeatureCollection", features: [] }) },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": c.sea } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": c.land, "fill-antialias": false } },
      { id: "borders", type: "line", source: "borders", paint: { "line-color": c.border, "line-width": ["interpolate", ["linear"], ["zoom"], 2, 0.5, 8, 1.2] } },
      ...labels(),
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

// What the map is made of, and by whom.
const credits = 'Outlines, lakes, rivers: Natural Earth. Names: <a href="https://www.geonames.org/" target="_blank" rel="noopener">GeoNames</a> (CC BY 4.0)';

// show makes the map; it is there once its promise is kept, with the countries' names.
export async function show(container) {
  const countries = outlines(await (await fetch("assets/countries.json")).json());
  const map = new Map({
    container,
    style: style(countries),
    attributionControl: { compact: true, customAttribution: credits },
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 20,
    // Names fade in over many frames, but for those who want no motion.
    fadeDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 300,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), "top-right");
  map.addControl(new ScaleControl(), "bottom-right");
  dark.addEventListener("change", () => {
    const c = colours();
    map.setPaintProperty("sea", "background-color", c.sea);
    map.setPaintProperty("land", "fill-color", c.land);
    map.setPaintProperty("borders", "line-color", c.border);
    recoloured(map);
    for (const l of labels()) {
      map.setPaintProperty(l.id, "text-color", l.paint["text-color"]);
      map.setPaintProperty(l.id, "text-halo-color", c.halo);
    }
  });
  await map.once("load");
  finer(map);
  naming(map);
  return { map, countries: countries.names.features };
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
