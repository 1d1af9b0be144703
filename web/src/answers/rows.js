// The rows of an export: their selection for a query, and their sketches.
import { open } from "../../../js/src/index.ts";

const nearby = 1 << 16; // two sketches with at most this number of bytes between them are read with one request
const mostKept = 1 << 27; // bytes of sketches that stay opened

// bytesOf returns a function that reads parts of a file. A host without byte ranges sends the whole file,
// which is kept.
function bytesOf(url) {
  let whole;
  return async (from, to) => {
    if (whole) return (await whole).subarray(from, to);
    const response = await fetch(url, { headers: { Range: `bytes=${from}-${to - 1}` } });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    if (response.status === 206) return new Uint8Array(await response.arrayBuffer());
    whole = response.arrayBuffer().then((all) => new Uint8Array(all));
    return (await whole).subarray(from, to);
  };
}

const loaded = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.json();
};

// opened returns the layers of a manifest with their rows. The manifest is at a URL, or is passed together
// with the bytes of its sketches.
export async function opened({ url, manifest, sketches }) {
  manifest ??= await loaded(url);
  const read = sketches ? async (from, to) => new Uint8Array(sketches, from, to - from) : bytesOf(new URL(manifest.sketches, url).href);
  const index = JSON.parse(new TextDecoder().decode(await read(0, manifest.index)));
  let at = manifest.index;
  manifest.layers.forEach((layer, i) => {
    layer.keys = layer.keys?.map((key) => Uint8Array.from(atob(key), (c) => c.charCodeAt(0)));
    layer.rowsOf = index[i].lengths.map((length, j) => {
      at += length;
      return { from: at - length, to: at, bounds: index[i].bounds[j], values: index[i].values[j] };
    });
  });
  return { ...manifest, sketches: kept(read) };
}

// kept returns a function that reads the sketches of rows. It caches the most recently used ones.
function kept(read) {
  const sketches = new Map(); // promises of sketches, by row; the most recently used ones are at the end
  let bytes = 0;
  return async (rows) => {
    const missing = rows.filter((r) => !sketches.has(r));
    for (let i = 0; i < missing.length; ) {
      let j = i + 1;
      while (j < missing.length && missing[j].from - missing[j - 1].to <= nearby) j++;
      const [part, from] = [missing.slice(i, j), missing[i].from];
      const all = read(from, part.at(-1).to);
      for (const r of part) {
        sketches.set(r, all.then((b) => open(b.subarray(r.from - from, r.to - from))));
        bytes += r.to - r.from;
      }
      all.catch(() => part.forEach((r) => sketches.delete(r) && (bytes -= r.to - r.from))); // after an error nothing is kept, so that the next query tries again
      i = j;
    }
    for (const r of rows) {
      const s = sketches.get(r);
      sketches.delete(r);
      sketches.set(r, s);
    }
    const answer = await Promise.all(rows.map((r) => sketches.get(r)));
    for (const [r] of sketches) {
      if (bytes <= mostKept) break;
      sketches.delete(r);
      bytes -= r.to - r.from;
    }
    return answer;
  };
}

// valueOf returns the index of category i in a slider of categories, or the index of its field.
export const valueOf = (layer, slider, i) => (slider.part ? layer.parts[i][slider.part - 1] : i);

// chosen returns the rows of a layer that conditions select, and the indexes of the selected categories, or
// undefined for all points.
export function chosen(layer, where = []) {
  let [rows, categories] = [layer.rowsOf, undefined];
  for (const { by, value, to } of where) {
    const i = layer.sliders.findIndex((s) => s.column === by);
    const slider = layer.sliders[i];
    const [from, last] = [slider?.values.indexOf(value) ?? -1, slider?.values.indexOf(to || value) ?? -1];
    if (from < 0 || last < 0) throw new Error(`${by} is never "${from < 0 ? value : to}" in ${layer.table}`);
    if (slider.category) {
      categories ??= [...layer.keys.keys()];
      categories = categories.filter((c) => valueOf(layer, slider, c) >= from && valueOf(layer, slider, c) <= last);
    } else rows = rows.filter((r) => r.values[i] >= from && r.values[i] <= last);
  }
  return { rows, categories, keys: categories?.map((c) => layer.keys[c]) };
}

// meeting returns the rows whose bounds meet a box.
export const meeting = (rows, [west, south, east, north]) =>
  rows.filter(({ bounds: b }) => b[0] <= east && b[2] >= west && b[1] <= north && b[3] >= south);
