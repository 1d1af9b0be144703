// The state of the page, as the part of its address after #. So a reload, Back and a link
// show the same.
import { byCategory } from "./filters.js";

const isWhere = (w) => Array.isArray(w) && w.every((c) => typeof c?.by === "string" && typeof c.value === "string");

// read returns the state in an address. Values that are missing or wrong are undefined.
export function read(hash = location.hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const parsed = (name, check) => {
    try {
      const value = JSON.parse(words.get(name) ?? "null");
      return value !== null && check(value) ? value : undefined;
    } catch {
      return undefined;
    }
  };
  const where = parsed("where", isWhere) ?? [];
  // Older addresses have a separate parameter for the category.
  if (words.has("category")) where.push({ by: byCategory, value: words.get("category") });
  return {
    layer: words.get("layer") ?? undefined,
    view: parsed("view", (v) => Array.isArray(v) && v.length === 3 && v.every(Number.isFinite) && Math.abs(v[0]) <= 180 && Math.abs(v[1]) <= 90),
    where,
    versus: parsed("versus", (v) => isWhere(v.where)),
    palette: words.get("palette") ?? undefined,
    scale: words.get("scale") ?? undefined,
    opacity: parsed("opacity", (o) => o > 0 && o <= 1),
    others: parsed("others", (o) => Array.isArray(o) && o.every((s) => typeof s?.layer === "string" && isWhere(s.where ?? []))) ?? [],
    area: parsed("area", (a) => /^(Multi)?Polygon$/.test(a.type) && Array.isArray(a.coordinates)),
    place: parsed("place", (p) => Array.isArray(p) && p.length === 3 && typeof p[0] === "string" && p.slice(1).every(Number.isFinite) && Math.abs(p[2]) <= 90),
    bars: words.get("bars") ?? undefined,
  };
}

export function written({ layer, view, where, versus, palette, scale, opacity, others, area, place, bars }) {
  const words = new URLSearchParams();
  words.set("layer", layer);
  if (palette) words.set("palette", palette);
  if (scale !== "log") words.set("scale", scale);
  const json = { view, where: where.length ? where : undefined, versus, opacity: opacity === 1 ? undefined : opacity, others: others.length ? others : undefined, area, place };
  for (const [name, value] of Object.entries(json)) if (value !== undefined) words.set(name, JSON.stringify(value));
  if (bars) words.set("bars", bars);
  return "#" + words;
}
