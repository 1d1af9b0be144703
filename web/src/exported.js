// Queries of an exported page: a worker reads the files of ccbfsql export and returns the results.
import { addProtocol } from "maplibre-gl";
import { address, file, isInside } from "./files.js";

let starting; // promise of the worker
const waiting = new Map(); // promises of running queries, by number
let asked = 0;

async function started() {
  const worker = new Worker(await address("assets/answers.js"));
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
  const name = document.documentElement.dataset.manifest;
  if (isInside(name)) {
    const manifest = await (await file(name)).json();
    const sketches = await (await file(manifest.sketches)).arrayBuffer();
    worker.postMessage({ files: { manifest, sketches } }, [sketches]);
  } else worker.postMessage({ files: { url: new URL(name, document.baseURI).href } });
  addProtocol("sketches", async ({ url }, { signal }) => {
    const { z, x, y, ...rest } = JSON.parse(decodeURIComponent(url.slice("sketches://".length)));
    return { data: await ask("tile", [rest, Number(z), Number(x), Number(y)], signal) };
  });
  return worker;
}

// ask runs a query in the worker. A query that was cancelled before it began is not run.
async function ask(name, args, signal) {
  const worker = await (starting ??= started());
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

// tiles returns the URL template of the tiles of a selection.
export const tiles = (choice, style) =>
  "sketches://" + encodeURIComponent(JSON.stringify({ choice, style, z: "{z}", x: "{x}", y: "{y}" })).replace(/%7B([zxy])%7D/g, "{$1}");
