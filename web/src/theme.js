// The colours of the map and of names in the light and the dark theme, and the ramps of points. On each
// ground, many points contrast most and few points least.
export const dark = matchMedia("(prefers-color-scheme: dark)");

export function colours() {
  return dark.matches
    ? { sea: "#10151c", water: "#2c3c4d", land: "#1d252f", border: "#8896a5", name: "#dfe6ee", country: "#aebac6", halo: "#10151c", palette: "inferno" }
    : { sea: "#dfe8ee", water: "#b9cedb", land: "#fbfaf7", border: "#6c7a86", name: "#1c252e", country: "#4a5763", halo: "#ffffff", palette: "ylorrd" };
}

// palettes has the names of the ramps that the user can choose.
export const palettes = { viridis: "Viridis", inferno: "Inferno", ylorrd: "Yellow to red" };

// paletteOf returns the ramp of a layer: the chosen one, or a default by its slot.
export function paletteOf(shown) {
  const first = colours().palette;
  return shown.palette ?? [first, "viridis", first === "inferno" ? "ylorrd" : "inferno"][shown.slot];
}
