// Saves what is shown as files.
import { brief, save } from "./text.js";

const csvField = (v) => (/[",\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v));

const nothing = () => new Error("There is nothing to save yet: draw an area, choose bars, or list the hottest places.");

// csv saves the results as a table: the area, the bars, the hottest places.
export async function csv(title, { answer, bars, spots, barsBy }) {
  const rows = [["what", "value", "count", "low", "high", "lon", "lat", "near"]];
  if (answer) rows.push(["area", title, answer.estimate, answer.low, answer.high, "", "", ""]);
  for (const b of bars?.bars ?? []) rows.push([barsBy, b.value ?? "", b.estimate, b.low, b.high, "", "", ""]);
  for (const [i, s] of (spots?.spots ?? []).entries()) rows.push(["place", i + 1, s.count, "", "", s.x, s.y, s.near ?? ""]);
  if (rows.length === 1) throw nothing();
  save("ccbfsql.csv", new Blob([rows.map((r) => r.map(csvField).join(",") + "\n").join("")], { type: "text/csv" }));
}

// geoJSON saves the area with its count and the places with their counts.
export async function geoJSON(title, area, { answer, spots }) {
  const features = [];
  if (area) {
    const { estimate, low, high, sql } = answer ?? {};
    features.push({ type: "Feature", geometry: area, properties: { title, count: estimate, low, high, sql } });
  }
  for (const [i, s] of (spots?.spots ?? []).entries()) {
    features.push({ type: "Feature", geometry: { type: "Point", coordinates: [s.x, s.y] }, properties: { rank: i + 1, count: s.count, side: s.side } });
  }
  if (features.length === 0) throw nothing();
  save("ccbfsql.geojson", new Blob([JSON.stringify({ type: "FeatureCollection", features }, null, 1)], { type: "application/geo+json" }));
}

// png saves the map as it is seen, with its title and legend below.
export async function png(map, title, { unit, ticks, notes, colours, top }) {
  const picture = await new Promise((resolve) => {
    map.once("render", () => {
      const c = document.createElement("canvas");
      c.width = map.getCanvas().width;
      c.height = map.getCanvas().height;
      c.getContext("2d").drawImage(map.getCanvas(), 0, 0); // before the map clears its pixels
      resolve(c);
    });
    map.triggerRepaint();
  });
  const ratio = devicePixelRatio;
  const lines = [title, ...notes, "Outlines: Natural Earth. Names: GeoNames, CC BY 4.0"];
  const below = (top ? 70 : 14) + 18 * lines.length;
  const out = document.createElement("canvas");
  out.width = picture.width;
  out.height = picture.height + below * ratio;
  const g = out.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  g.fillStyle = matchMedia("(prefers-color-scheme: dark)").matches ? "#161c24" : "#ffffff";
  g.fillRect(0, 0, out.width, out.height);
  g.drawImage(picture, 0, 0);
  g.scale(ratio, ratio);
  g.translate(14, picture.height / ratio + 20);
  g.fillStyle = style.color;
  g.font = "13px system-ui, sans-serif";
  for (const [i, line] of lines.entries()) g.fillText(line, 0, 18 * i);
  if (top) {
    g.translate(0, 18 * lines.length - 6);
    const width = Math.min(360, picture.width / ratio - 28);
    const ramp = g.createLinearGradient(0, 0, width, 0);
    colours.forEach((c, i, all) => ramp.addColorStop(i / (all.length - 1), c));
    g.fillStyle = ramp;
    g.fillRect(0, 0, width, 12);
    g.fillStyle = style.color;
    for (const { at, value } of ticks) {
      g.textAlign = at === 0 ? "left" : at > 0.95 ? "right" : "center";
      g.fillText(brief(value), width * at, 28);
    }
    g.textAlign = "left";
    g.fillText(unit, 0, 46);
  }
  save("ccbfsql.png", await new Promise((resolve) => out.toBlob(resolve, "image/png")));
}
