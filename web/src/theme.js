// The colours of the map's ground and names, by light and by dark, and the ramp of points: on
// either ground many points are far from it, and few near.
export const dark = matchMedia("(prefers-color-scheme: dark)");

export function colours() {
  return dark.matches
    ? { sea: "#10151c", water: "#2c3c4d", land: "#1d252f", border: "#8896a5", name: "#dfe6ee", country: "#aebac6", halo: "#10151c", palette: "inferno" }
    : { sea: "#dfe8ee", water: "#b9cedb", land: "#fbfaf7", border: "#6c7a86", name: "#1c252e", country: "#4a5763", halo: "#ffffff", palette: "ylorrd" };
}

// palettes are the ramps to choose from, with their names.
export const palettes = { viridis: "Viridis", inferno: "Inferno", ylorrd: "Yellow to red" };

// paletteOf is that of a layer: the one chosen, or by its place among the layers.
export function paletteOf(shown) {
  const first = colours().palette;
  return shown.palette ?? [first, "viridis", first === "inferno" ? "ylorrd" : "inferno"][shown.slot];
}
