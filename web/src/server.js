// Queries of the page to the server.

async function json(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `${response.status} ${response.statusText}`);
  return body;
}

// reached is fetch. If the server does not answer, it calls the function that was set by whenUnreached.
let unreached = () => {};
export const whenUnreached = (f) => (unreached = f);
async function reached(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name !== "AbortError") unreached();
    throw error.name === "TypeError" ? new Error("The server does not answer.") : error;
  }
}

const ask = async (path, values, signal) => json(await reached(`api/${path}?` + parameters(values), { signal }));

const post = async (path, question, signal) =>
  json(await reached("api/" + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal,
  }));

export const layers = async () => json(await reached("api/layers"));
export const basemap = async () => json(await reached("api/basemap"));
// version returns a text that differs for each state of the data.
export const version = async (signal) => json(await fetch("api/version", { signal }));
export const tables = async () => json(await reached("api/tables"));
export const build = (table) => post("build", { table });
export const look = ({ table, column }, signal) => ask("look", { table, column }, signal);
export const sum = (question, signal) => post("sum", question, signal);
export const bars = (question, signal) => post("bars", question, signal);
export const hotspots = (question, signal) => post("hotspots", question, signal);
export const at = (choice, x, y, side, signal) => ask("at", { ...words(choice), x, y, side }, signal);

export const scale = (choice, [xmin, ymin, xmax, ymax], pixel, style, signal) =>
  ask("scale", { ...words(choice), xmin, ymin, xmax, ymax, pixel, ...style }, signal);

// tiles returns the URL template of the tiles of a selection. It contains the version of the data, because
// browsers cache tiles.
export function tiles(choice, style, version) {
  const { table, column, ...filter } = words(choice);
  return `${new URL("tiles", document.baseURI)}/${encodeURIComponent(table)}/${encodeURIComponent(column)}/{z}/{x}/{y}.png?` +
    parameters({ ...filter, ...style, version });
}

// words returns the parameters of a URL for a selection.
function words({ where, versus, ...rest }) {
  return {
    ...rest,
    ...(where?.length ? { where: JSON.stringify(where) } : {}),
    ...(versus ? { versus: JSON.stringify(versus) } : {}),
  };
}

function parameters(values) {
  return new URLSearchParams(Object.entries(values).filter(([, v]) => v !== undefined)).toString();
}
