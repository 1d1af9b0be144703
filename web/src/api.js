// What the server answers. Errors carry its words.

async function json(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `${response.status} ${response.statusText}`);
  return body;
}

const ask = async (path, values, signal) => json(await fetch(`api/${path}?` + parameters(values), { signal }));

const post = async (path, question, signal) =>
  json(await fetch("api/" + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal,
  }));

export const layers = async () => json(await fetch("api/layers"));
export const basemap = async () => json(await fetch("api/basemap"));
export const version = async () => json(await fetch("api/version"));
export const look = ({ table, column }, signal) => ask("look", { table, column }, signal);
export const sum = (question, signal) => post("sum", question, signal);
export const bars = (question, signal) => post("bars", question, signal);
export const hotspots = (question, signal) => post("hotspots", question, signal);
export const at = (choice, x, y, side, signal) => ask("at", { ...words(choice), x, y, side }, signal);

export const scale = (choice, [xmin, ymin, xmax, ymax], pixel, signal) =>
  ask("scale", { ...words(choice), xmin, ymin, xmax, ymax, pixel }, signal);

// tiles is the address of the tiles of a choice, for the map to fill in. A browser keeps
// tiles: version, of what is served, makes them others.
export function tiles(choice, top, version) {
  const { table, column, ...filter } = words(choice);
  return `${new URL("tiles", document.baseURI)}/${encodeURIComponent(table)}/${encodeURIComponent(column)}/{z}/{x}/{y}.png?` +
    parameters({ ...filter, top, version });
}

// words is a choice as the parameters of a URL.
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
