// What the server answers. Errors carry its words.

async function json(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `${response.status} ${response.statusText}`);
  return body;
}

export const layers = async () => json(await fetch("api/layers"));

export const sum = async (question, signal) =>
  json(await fetch("api/sum", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal,
  }));

export const hotspots = async (choice, [xmin, ymin, xmax, ymax], k, signal) =>
  json(await fetch("api/hotspots?" + parameters({ ...choice, xmin, ymin, xmax, ymax, k }), { signal }));

// tiles is the address of the tiles of a choice, for the map to fill in.
export function tiles({ table, column, ...filter }) {
  const query = parameters(filter);
  return `${new URL("tiles", document.baseURI)}/${encodeURIComponent(table)}/${encodeURIComponent(column)}/{z}/{x}/{y}.png` +
    (query ? "?" + query : "");
}

function parameters(values) {
  return new URLSearchParams(Object.entries(values).filter(([, v]) => v !== undefined)).toString();
}
