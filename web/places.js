// Chooses the zoom from which each place is named, and writes the files of places that the page loads.
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";

export const firstOfAll = 6; // the zoom from which places that are not in ranks.txt are named
const lastZoom = 14; // at which all places are named
const apart = 56; // minimum distance of places named at a zoom, in pixels

// placesFrom reads places.tsv.gz and ranks.txt, and returns the places with the zoom from which each is
// named.
export async function placesFrom(folder) {
  const rows = gunzipSync(await readFile(new URL("places.tsv.gz", folder))).toString().trimEnd().split("\n");
  const places = rows.map((row) => {
    const [name, country, lon, lat] = row.split("\t");
    return { name, country, lon: Number(lon), lat: Number(lat), zoom: 0 };
  });
  crowd(places);
  const ranked = rank(places, (await readFile(new URL("ranks.txt", folder))).toString());
  thin(places, ranked);
  return places;
}

// crowd counts the places around each place. A large town has many places around it.
function crowd(places) {
  const side = 0.1; // degrees
  const cell = (p) => [Math.floor(p.lon / side / 1.5), Math.floor(p.lat / side)];
  const counts = new Map();
  for (const p of places) {
    const key = cell(p).join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const p of places) {
    const [x, y] = cell(p);
    p.crowd = 0;
    for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) p.crowd += counts.get(`${x + i},${y + j}`) ?? 0;
  }
}

// rank sets the zoom of the places in ranks.txt, and returns them by zoom.
function rank(places, text) {
  const byName = new Map();
  for (const p of places) {
    const key = `${p.country} ${p.name}`;
    byName.set(key, [...(byName.get(key) ?? []), p]);
  }
  const missing = [];
  const unclear = []; // names that several places have
  const ranked = [];
  for (const line of text.split("\n").filter((l) => l && !l.startsWith("#"))) {
    const country = line.slice(0, 2);
    for (const [i, part] of line.slice(2).split("|").entries()) {
      for (const entry of part.split(",").map((e) => e.trim()).filter(Boolean)) {
        const [name, at] = entry.split("@");
        const same = byName.get(`${country} ${name}`) ?? [];
        const [x, y] = (at ?? "").split(" ").map(Number);
        const near = (p, [x, y], most) => Math.hypot(p.lon - x, p.lat - y) < most;
        const best = same.filter((p) => !at || near(p, [x, y], 1)).sort((a, b) => b.crowd - a.crowd);
        if (!best.length) missing.push(`${country} ${entry}`);
        else if (!best.every((p) => near(p, [best[0].lon, best[0].lat], at ? 2 : 0.3))) unclear.push(`${country} ${entry}`);
        else if (!best[0].zoom) ranked.push(Object.assign(best[0], { zoom: i + 2 }));
      }
    }
  }
  if (missing.length) throw new Error(`ranks.txt names places that are not in the list: ${missing.join("; ")}`);
  if (unclear.length) throw new Error(`ranks.txt does not say where these are, of which there are several: ${unclear.join("; ")}`);
  return ranked.sort((a, b) => a.zoom - b.zoom);
}

// thin sets the zoom of the other places: the first zoom at which no more important place is near. Places in
// ranks.txt are most important, then places with many others around, then places with short names.
function thin(places, ranked) {
  const others = places.filter((p) => !p.zoom).sort((a, b) => b.crowd - a.crowd || a.name.length - b.name.length || a.lon - b.lon || a.lat - b.lat);
  const world = (p) => {
    const sin = Math.sin((Math.min(Math.max(p.lat, -85), 85) * Math.PI) / 180);
    return [(p.lon + 180) / 360, 0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)];
  };
  const at = new Map(places.map((p) => [p, world(p)]));
  for (let zoom = firstOfAll; zoom < lastZoom; zoom++) {
    const side = apart / 512 / 2 ** zoom;
    const taken = new Map();
    const cell = ([x, y]) => [Math.floor(x / side), Math.floor(y / side)];
    const take = (p) => {
      const [x, y] = cell(at.get(p));
      const key = x * 2 ** 24 + y;
      if (taken.has(key)) taken.get(key).push(at.get(p));
      else taken.set(key, [at.get(p)]);
    };
    const free = (p) => {
      const [x, y] = at.get(p);
      const [cx, cy] = cell([x, y]);
      for (let i = -1; i <= 1; i++) {
        for (let j = -1; j <= 1; j++) {
          for (const [ox, oy] of taken.get((cx + i) * 2 ** 24 + cy + j) ?? []) if (Math.hypot(ox - x, oy - y) < side) return false;
        }
      }
      return true;
    };
    for (const p of ranked) if (p.zoom <= zoom) take(p);
    for (const p of others) if (p.zoom) take(p);
    for (const p of others) {
      if (!p.zoom && free(p)) {
        p.zoom = zoom;
        take(p);
      }
    }
  }
  for (const p of others) p.zoom ||= lastZoom;
}

// packed returns the JSON of places that the page reads: columns, which take fewer bytes than rows.
export function packed(places) {
  let [lon, lat] = [0, 0];
  const steps = [];
  for (const p of places) {
    const [x, y] = [Math.round(p.lon * 1000), Math.round(p.lat * 1000)];
    steps.push(x - lon, y - lat);
    [lon, lat] = [x, y];
  }
  return JSON.stringify({ names: places.map((p) => p.name).join("\n"), countries: places.map((p) => p.country).join(""), zooms: places.map((p) => p.zoom.toString(36)).join(""), steps });
}
