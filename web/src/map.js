// The map: land, borders, and a layer of tiles.
import { Map, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import { feature, mesh } from "topojson-client";

setWorkerUrl(new URL("assets/worker.mjs", document.baseURI).href);

const dark = matchMedia("(prefers-color-scheme: dark)");

function colours() {
  return dark.matches
    ? { sea: "#10151c", land: "#1d252f", border: "#46525f" }
    : { sea: "#dfe8ee", land: "#fbfaf7", border: "#9aa7b1" };
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

// heat puts the tiles at an address on the map, in place of those before.
export function heat(map, address) {
  const source = map.getSource("heat");
  if (source) {
    source.setTiles([address]);
    return;
  }
  map.addSource("heat", { type: "raster", tiles: [address], tileSize: 256, maxzoom: 20 });
  map.addLayer({ id: "heat", type: "raster", source: "heat", paint: { "raster-resampling": "nearest", "raster-fade-duration": 0 } });
}

// box is the part of the world that the map shows: west, south, east, north.
export function box(map) {
  const b = map.getBounds();
  return [Math.max(b.getWest(), -180), Math.max(b.getSouth(), -90), Math.min(b.getEast(), 180), Math.min(b.getNorth(), 90)];
}
