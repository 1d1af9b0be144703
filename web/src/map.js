// The map: land, borders, and the layers of tiles between them.
import { Map, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import { address, file } from "./files.js";
import { outlines } from "./outlines.js";
import { labels, naming } from "./places.js";
import { sharp } from "./plane.js";
import { colours, dark } from "./theme.js";
import { recoloured } from "./water.js";

setWorkerUrl(await address("assets/worker.mjs"));

const nothing = { type: "FeatureCollection", features: [] };

function style() {
  const c = colours();
  const source = { type: "geojson", data: nothing, tolerance: 0.2 };
  return {
    version: 8,
    sources: { land: source, borders: source, names: source, places: source },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": c.sea } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": c.land, "fill-antialias": false } },
      { id: "borders", type: "line", source: "borders", paint: { "line-color": c.border, "line-width": ["interpolate", ["linear"], ["zoom"], 2, 0.5, 8, 1.2] } },
      ...labels(),
    ],
  };
}

// Files of outlines with the zoom from which each is used: 1:10 million, 1:10 million with fewer corners, and
// 1:50 million.
const files = [["fine", 6, "countries-fine"], ["middle", 4, "countries-middle"], ["coarse", -1, "countries"]];

// outlined loads the outlines for the zoom of a map, whenever it changes, and returns the countries.
export async function outlined(map) {
  let [best, named] = [files.length, undefined];
  const load = async () => {
    const i = files.findIndex(([, zoom]) => map.getZoom() >= zoom);
    if (i >= best) return;
    best = i;
    const { land, borders, names } = outlines(await (await file(`assets/${files[i][2]}.json`)).json());
    if (i > best) return; // finer outlines have already arrived
    map.getSource("land").setData(land);
    map.getSource("borders").setData(borders);
    if (!named) map.getSource("names").setData((named = names));
    document.body.dataset.outlines = files[i][0];
  };
  map.on("zoomend", () => load().catch((error) => console.error(error)));
  await load();
  return named?.features ?? [];
}

// The sources of the map.
const credits = 'Outlines, lakes, rivers: Natural Earth. Names: <a href="https://www.geonames.org/" target="_blank" rel="noopener">GeoNames</a> (CC BY 4.0)';

// show makes the map, without outlines and names.
export async function show(container) {
  const map = new Map({
    container,
    style: style(),
    attributionControl: { compact: true, customAttribution: credits },
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 20,
    // Names fade in, except if the user prefers reduced motion.
    fadeDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 300,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), "top-right");
  map.addControl(new ScaleControl(), "bottom-right");
  dark.addEventListener("change", () => {
    const c = colours();
    map.setPaintProperty("sea", "background-color", document.body.classList.contains("plane") ? c.land : c.sea);
    map.setPaintProperty("land", "fill-color", c.land);
    map.setPaintProperty("borders", "line-color", c.border);
    recoloured(map);
    for (const l of labels()) {
      map.setPaintProperty(l.id, "text-color", l.paint["text-color"]);
      map.setPaintProperty(l.id, "text-halo-color", c.halo);
    }
  });
  await map.once("load");
  if (innerWidth <= 640) map.getContainer().querySelector(".maplibregl-ctrl-attrib")?.classList.remove("maplibregl-compact-show"); // folds the attribution on a small screen, where a touch opens it
  return map;
}

export { naming };

// ground shows the world below the layers, or hides it for a layer in a plane.
export function ground(map, plane) {
  document.body.classList.toggle("plane", Boolean(plane));
  for (const { id, source } of map.getStyle().layers) {
    if (["land", "borders", "names", "places", "rivers", "lakes", "basemap"].includes(source)) {
      map.setLayoutProperty(id, "visibility", plane || map.hasBasemap && ["names", "places"].includes(source) ? "none" : "visible");
    }
  }
  map.setPaintProperty("sea", "background-color", plane ? colours().land : colours().sea);
}

// heat adds the tiles of layer i of the stack to the map, below the outlines. It first removes its tiles from
// before, so that no tiles of another selection are shown.
export function heat(map, i, address, opacity) {
  cold(map, i);
  const id = `heat${i}`;
  map.addSource(id, { type: "raster", tiles: [address], tileSize: 256 / sharp(), maxzoom: 20 });
  const above = [i + 1, i + 2].map((j) => `heat${j}`).find((other) => map.getLayer(other)) ?? "borders";
  map.addLayer({ id, type: "raster", source: id, paint: { "raster-resampling": "nearest", "raster-fade-duration": 0, "raster-opacity": opacity } }, above);
}

// cold removes the tiles of layer i.
export function cold(map, i) {
  if (map.getLayer(`heat${i}`)) map.removeLayer(`heat${i}`);
  if (map.getSource(`heat${i}`)) map.removeSource(`heat${i}`);
}

// mark outlines a box, or removes the outline.
export function mark(map, b) {
  const ring = b && [[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]], [b[0], b[1]]];
  const data = { type: "FeatureCollection", features: ring ? [{ type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: ring } }] : [] };
  if (map.getSource("mark")) map.getSource("mark").setData(data);
  else if (ring) {
    map.addSource("mark", { type: "geojson", data });
    map.addLayer({ id: "mark", type: "line", source: "mark", paint: { "line-color": dark.matches ? "#ffffff" : "#10151c", "line-width": 1.5 } });
  }
}
