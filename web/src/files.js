// The files of the page: beside it, or inside it where ccbfsql export -single wrote it.

const inside = (name) => document.querySelector(`script[data-file="${name}"]`)?.textContent;

// isInside is whether the page has a file inside.
export const isInside = (name) => inside(name) !== undefined;

// file is the response of a file.
export async function file(name) {
  if (!isInside(name)) return fetch(name);
  const packed = Uint8Array.from(atob(inside(name)), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}

// address is where a worker is loaded from.
export async function address(name) {
  if (!isInside(name)) return new URL(name, document.baseURI).href;
  return URL.createObjectURL(new Blob([await (await file(name)).arrayBuffer()], { type: "text/javascript" }));
}
