// The map: land, borders, and a layer of tiles between.
import { Map, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import { feature, mesh } from "topojson-client";

setWorkerUrl(new URL("assets/worker.mjs", document.baseURI).href);

const dark = matchMedia("(prefers-color-scheme: dark)");

function colours() {
  return dark.matches
    ? { sea: "#10151c", land: "#1d252f", border: "#8896a5" }
    : { sea: "#dfe8ee", land: "#fbfaf7", border: "#6c7a86" };
}

// unwrapped lets a line go on past 180 degrees where it crosses the antimeridian:
// the outlines are made for a globe, on which it does not jump. A ring that goes
// round the pole, Antarctica's coast, is closed below it.
function unwrapped(line) {
  let turn = 0;
  const out = line.map(([x, y], i) => {
    const step = i === 0 ? 0 : x - line[i - 1][0];
    turn += step > 180 ? -360 : step < -180 ? 360 : 0;
    return [x + turn, y];
  });
  if (turn !== 0 && line[0][0] === line.at(-1)[0] && line[0][1] === line.at(-1)[1]) {
    out.push([out.at(-1)[0], -90], [out[0][0], -90], out[0]);
  }
  return out;
}

function planar({ type, coordinates }) {
  const deep = { MultiLineString: 1, Polygon: 1, MultiPolygon: 2 }[type];
  const walk = (c, depth) => (depth === 0 ? unwrapped(c) : c.map((part) => walk(part, depth - 1)));
  return { type, coordinates: walk(coordinates, deep) };
}

function style(countries) {
  const c = colours();
  const source = (data) => ({ type: "geojson", data, tolerance: 0.2 });
  return {
    version: 8,
    sources: {
      land: source({
        type: "FeatureCollection",
        features: feature(countries, countries.objects.countries).features.map((f) => ({ ...f, geometry: planar(f.geometry) })),
      }),
      borders: source(planar(mesh(countries, countries.objects.countries))),
    },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": c.sea } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": c.land, "fill-antialias": false } },
      { id: "borders", type: "line", source: "borders", paint: { "line-color": c.border, "line-width": ["interpolate", ["linear"], ["zoom"], 2, 0.5, 8, 1.2] } },
    ],
  };
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
  });
  await map.once("load");
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
