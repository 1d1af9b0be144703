// What the page asks, of the files of ccbfsql export: a worker reads them and answers.
import { addProtocol } from "maplibre-gl";

let worker;
const waiting = new Map(); // what waits for an answer, by number
let asked = 0;

function started() {
  worker = new Worker(new URL("assets/answers.js", document.baseURI));
  worker.onmessage = ({ data: { id, answer, error } }) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error));
    else resolve?.(answer);
  };
  worker.onerror = (e) => {
    for (const { reject } of waiting.values()) reject(new Error(e.message || "The worker of the page cannot start."));
    waiting.clear();
  };
  worker.postMessage({ manifest: new URL(document.documentElement.dataset.manifest, document.baseURI).href });
  addProtocol("sketches", async ({ url }, { signal }) => {
    const { z, x, y, ...rest } = JSON.parse(decodeURIComponent(url.slice("sketches://".length)));
    return { data: await ask("tile", [rest, Number(z), Number(x), Number(y)], signal) };
  });
}

// ask is an answer of the worker. Questions that nobody waits for any more are not begun.
function ask(name, args, signal) {
  if (!worker) started();
  const id = ++asked;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    waiting.set(id, { resolve, reject });
    signal?.addEventListener("abort", () => {
      waiting.delete(id);
      worker.postMessage({ cancel: id });
      reject(signal.reason);
    });
    worker.postMessage({ id, name, args });
  });
}

export const whenUnreached = () => {};
export const layers = () => ask("layers", []);
export const basemap = async () => ({});
export const version = async () => ({ version: "1" });
export const tables = async () => [];
export const build = undefined; // there are no tables of points
export const look = (choice, signal) => ask("look", [choice], signal);
export const sum = (question, signal) => ask("sum", [question], signal);
export const bars = (question, signal) => ask("bars", [question], signal);
export const hotspots = (question, signal) => ask("hotspots", [question], signal);
export const at = (choice, x, y, side, signal) => ask("at", [choice, x, y, side], signal);
export const scale = (choice, box, pixel, style, signal) => ask("scale", [choice, box, pixel, style], signal);

// tiles is the address of the tiles of a choice, for the map to fill in.
export const tiles = (choice, style) =>
  "sketches://" + encodeURIComponent(JSON.stringify({ choice, style, z: "{z}", x: "{x}", y: "{y}" })).replace(/%7B([zxy])%7D/g, "{$1}");
