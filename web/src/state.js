// What the page shows, as the part of its address after #: a reload, Back and a link
// show the same.

// read is what an address says; what it does not say is undefined.
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
  return {
    layer: words.get("layer") ?? undefined,
    view: parsed("view", (v) => Array.isArray(v) && v.length === 3 && v.every(Number.isFinite) && Math.abs(v[0]) <= 180 && Math.abs(v[1]) <= 90),
    where: parsed("where", (w) => Array.isArray(w) && w.every((c) => typeof c?.by === "string" && typeof c.value === "string")) ?? [],
    category: words.get("category") ?? undefined,
    versus: parsed("versus", (v) => Array.isArray(v.where)),
    area: parsed("area", (a) => /^(Multi)?Polygon$/.test(a.type) && Array.isArray(a.coordinates)),
    place: parsed("place", (p) => Array.isArray(p) && p.length === 3 && typeof p[0] === "string" && p.slice(1).every(Number.isFinite) && Math.abs(p[2]) <= 90),
    bars: words.get("bars") ?? undefined,
  };
}

export function written({ layer, view, where, category, versus, area, place, bars }) {
  const words = new URLSearchParams();
  words.set("layer", layer);
  if (view) words.set("view", JSON.stringify(view));
  if (where.length) words.set("where", JSON.stringify(where));
  if (category !== undefined) words.set("category", category);
  if (versus) words.set("versus", JSON.stringify(versus));
  if (area) words.set("area", JSON.stringify(area));
  if (place) words.set("place", JSON.stringify(place));
  if (bars) words.set("bars", bars);
  return "#" + words;
}
