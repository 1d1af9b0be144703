// The user's own map below the sketches: tiles at a URL, or a PMTiles file.
import { addProtocol } from "maplibre-gl";
import { PMTiles, Protocol } from "pmtiles";

const vector = 1; // the tile type of Mapbox Vector Tiles (PMTiles 3, 3.9)

// basemap adds the user's own map to the map, above the land and below the sketches.
export async function basemap(map, { kind, url, attribution }, dark) {
  if (kind === "tiles") {
    map.addSource("basemap", { type: "raster", tiles: [url], tileSize: 256, attribution });
    return raster(map);
  }
  const address = new URL(url, document.baseURI).href;
  const protocol = new Protocol();
  addProtocol("pmtiles", protocol.tile);
  const archive = new PMTiles(address);
  protocol.add(archive);
  const header = await archive.getHeader().catch((e) => {
    throw new Error(`${address}: ${e.message}`);
  });
  if (header.tileType !== vector) {
    map.addSource("basemap", { type: "raster", url: "pmtiles://" + address, tileSize: 256 });
    return raster(map);
  }
  const { vector_layers: layers = [] } = await archive.getMetadata();
  map.addSource("basemap", { type: "vector", url: "pmtiles://" + address });
  for (const l of styled(layers.map((v) => v.id), dark)) map.addLayer(l, l.type === "symbol" ? undefined : "borders");
  map.setLayoutProperty("names", "visibility", "none");
}

function raster(map) {
  map.addLayer({ id: "basemap", type: "raster", source: "basemap" }, "borders");
  map.setLayoutProperty("names", "visibility", "none"); // the user's map has its own names
}

// styled returns map layers for water, roads, borders and places, by their names in the common schemas
// (Protomaps, OpenMapTiles). It ignores other names.
function styled(ids, dark) {
  const c = dark ? { water: "#10151c", road: "#3a4654", name: "#dfe6ee", halo: "#10151c" } : { water: "#dfe8ee", road: "#d8d2c4", name: "#27313b", halo: "#ffffff" };
  const of = (pattern) => ids.filter((id) => pattern.test(id));
  const layer = (id, type, paint, more = {}) => ({ id: `basemap-${id}-${type}`, type, source: "basemap", "source-layer": id, paint, ...more });
  return [
    ...of(/^(water|ocean|lakes?)$/i).map((id) => layer(id, "fill", { "fill-color": c.water }, { filter: ["==", ["geometry-type"], "Polygon"] })),
    ...of(/^(water|waterway|rivers?|physical_line)$/i).map((id) => layer(id, "line", { "line-color": c.water }, { filter: ["==", ["geometry-type"], "LineString"] })),
    ...of(/^(roads?|transportation|transit)$/i).map((id) => layer(id, "line", { "line-color": c.road, "line-width": ["interpolate", ["linear"], ["zoom"], 6, 0.4, 14, 2.5] }, { filter: ["==", ["geometry-type"], "LineString"] })),
    ...of(/^(places?|place_label)$/i).map((id) => layer(id, "symbol", { "text-color": c.name, "text-halo-color": c.halo, "text-halo-width": 1.4 },
      { layout: { "text-field": ["coalesce", ["get", "name:en"], ["get", "name"]], "text-size": 13, "text-max-width": 7 } })),
  ];
}
