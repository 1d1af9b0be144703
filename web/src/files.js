// Files of the page: next to it, or inside it if ccbfsql export -single wrote it.

const inside = (name) => document.querySelector(`script[data-file="${name}"]`)?.textContent;

// isInside reports whether a file is inside the page.
export const isInside = (name) => inside(name) !== undefined;

// file returns the contents of a file as a Response.
export async function file(name) {
  if (!isInside(name)) return fetch(name);
  const packed = Uint8Array.from(atob(inside(name)), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}

// address returns the URL from which a worker is loaded.
export async function address(name) {
  if (!isInside(name)) return new URL(name, document.baseURI).href;
  return URL.createObjectURL(new Blob([await (await file(name)).arrayBuffer()], { type: "text/javascript" }));
}
