// The colours of the map's ground and names, by light and by dark.
export const dark = matchMedia("(prefers-color-scheme: dark)");

export function colours() {
  return dark.matches
    ? { sea: "#10151c", water: "#2c3c4d", land: "#1d252f", border: "#8896a5", name: "#dfe6ee", country: "#aebac6", halo: "#10151c", palette: "inferno" }
    : { sea: "#dfe8ee", water: "#b9cedb", land: "#fbfaf7", border: "#6c7a86", name: "#1c252e", country: "#4a5763", halo: "#ffffff", palette: "ylorrd" };
}
