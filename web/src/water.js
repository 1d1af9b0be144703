// Lakes and rivers below the points, at low zooms only: the data are for maps of 1:50 million, on a grid of
// 4 km, and would be at the wrong places at higher zooms.
import { feature } from "topojson-client";
import { file } from "./files.js";
import { colours } from "./theme.js";

const near = 8; // zoom from which lakes and rivers are hidden: a pixel is 300 m there

// waters returns the map layers of rivers and lakes.
const waters = (c) => [
  { id: "rivers", type: "line", source: "rivers", maxzoom: near, paint: { "line-color": c.water, "line-width": ["interpolate", ["linear"], ["zoom"], 2, 0.3, 7, 1] } },
  { id: "lakes", type: "fill", source: "lakes", maxzoom: near, paint: { "fill-color": c.sea } },
];

// watered loads rivers and lakes and adds them to the map.
export async function watered(map) {
  const topology = await (await file("assets/water.json")).json();
  const above = map.getLayer("heat") ? "heat" : "borders";
  for (const layer of waters(colours())) {
    map.addSource(layer.id, { type: "geojson", data: feature(topology, topology.objects[layer.id]), tolerance: 0.2 });
    map.addLayer(layer, above);
  }
}

// recoloured sets the colours of rivers and lakes for the light or the dark theme.
export function recoloured(map) {
  for (const { id, type, paint } of waters(colours())) {
    if (map.getLayer(id)) map.setPaintProperty(id, `${type}-color`, paint[`${type}-color`]);
  }
}
