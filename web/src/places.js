// Names of places: for labels of the map, and for the search.
import { file } from "./files.js";
import { colours } from "./theme.js";

const fine = 6; // the zoom from which more places are named than the short list of the world has

// columns reads the file that web/places.js writes.
function columns({ names, countries, zooms, steps }) {
  const all = { names: names.split("\n"), countries, zooms: Uint8Array.from(zooms, (z) => parseInt(z, 36)), lon: [], lat: [] };
  let [x, y] = [0, 0];
  for (let i = 0; i < steps.length; i += 2) {
    x += steps[i];
    y += steps[i + 1];
    all.lon.push(x / 1000);
    all.lat.push(y / 1000);
  }
  return all;
}

const loaded = (name) => {
  let promise;
  return () => (promise ??= file(name).then(async (r) => {
    if (!r.ok) throw new Error(`${name}: ${r.status} ${r.statusText}`);
    return columns(await r.json());
  }).catch((error) => {
    promise = undefined; // after an error the next call tries again
    throw error;
  }));
};
const ofWorld = loaded("assets/places-world.json");
export const everyPlace = loaded("assets/places.json");

// nearest returns a function that returns the name of the place nearest to a point.
export async function nearest() {
  const all = await everyPlace();
  return (lon, lat) => {
    const narrow = Math.cos((lat * Math.PI) / 180) ** 2;
    let [best, least] = [-1, 2]; // least is a squared distance in degrees: places farther than the root of 2 are not found
    for (let i = 0; i < all.names.length; i++) {
      const [dx, dy] = [all.lon[i] - lon, all.lat[i] - lat];
      const d = dx * dx * narrow + dy * dy;
      if (d < least) [best, least] = [i, d];
    }
    return best < 0 ? "" : all.names[best];
  };
}

// labels returns the map layers of names. Countries are above places: the last layer gets its space first.
export function labels() {
  const c = colours();
  const halo = { "text-halo-color": c.halo, "text-halo-width": 1.5, "text-halo-blur": 0.3 };
  const larger = (size) => ["interpolate", ["linear"], ["zoom"], 2, ["step", ["get", "zoom"], size, 4, size - 1], 8, ["step", ["get", "zoom"], size + 3, 6, size + 1, 9, size], 13, size + 3];
  return [
    {
      id: "places", type: "symbol", source: "places", minzoom: 1.5,
      layout: {
        "text-field": ["get", "name"], "text-size": larger(12), "text-max-width": 8, "text-padding": 3, "symbol-sort-key": ["get", "zoom"],
        // Next to the place, so that points at the place stay visible.
        "text-variable-anchor": ["bottom", "top", "left", "right"], "text-radial-offset": 0.4,
      },
      paint: { "text-color": c.name, ...halo },
    },
    {
      id: "names", type: "symbol", source: "names", maxzoom: 7,
      // Smaller countries are named from higher zooms on.
      filter: [">", ["get", "size"], ["step", ["zoom"], 60, 2, 25, 3, 8, 4, 2, 5, 0.3, 6, 0]],
      layout: {
        "text-field": ["get", "name"], "text-size": ["interpolate", ["linear"], ["zoom"], 1, 10, 5, 13], "text-max-width": 7,
        "text-transform": "uppercase", "text-letter-spacing": 0.08, "text-padding": 4, "symbol-sort-key": ["-", 0, ["get", "size"]],
      },
      paint: { "text-color": c.country, ...halo },
    },
  ];
}

// within returns the places of a box that are named up to a zoom, as features. If the box crosses 180 degrees,
// it returns places of the next world, too.
export function within(all, [west, south, east, north], zoom) {
  const features = [];
  for (let i = 0; i < all.names.length; i++) {
    if (all.zooms[i] > zoom || all.lat[i] < south || all.lat[i] > north) continue;
    for (const turn of [-360, 0, 360]) {
      const x = all.lon[i] + turn;
      if (x < west || x > east) continue;
      features.push({ type: "Feature", properties: { name: all.names[i], zoom: all.zooms[i] }, geometry: { type: "Point", coordinates: [all.lon[i], all.lat[i]] } });
      break;
    }
  }
  return { type: "FeatureCollection", features };
}

// naming updates the names on a map whenever its view changes.
export function naming(map) {
  const name = async () => {
    const zoom = map.getZoom();
    const all = await (zoom < fine ? ofWorld : everyPlace)();
    if (map.getZoom() !== zoom) return; // the zoom has changed meanwhile: a later call names the places
    const b = map.getBounds();
    const [width, height] = [b.getEast() - b.getWest(), b.getNorth() - b.getSouth()];
    const data = within(all, [b.getWest() - width, b.getSouth() - height, b.getEast() + width, b.getNorth() + height], Math.floor(zoom));
    map.getSource("places").setData(data);
    document.body.dataset.names = data.features.length;
  };
  const later = () => name().catch((error) => console.error(error)); // without names the map is still useful, so the error is only logged
  map.on("moveend", later);
  return name().catch((error) => console.error(error));
}
