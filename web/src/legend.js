// The legend: what the colours stand for in this view.
import { brief, element, made, metres } from "./text.js";

const metresPerDegree = 111_195; // of a sphere with a radius of 6,371 km

// legend shows a scale, for cells of a side in a view around a latitude; none where
// nothing is drawn.
export function legend(scale, res, latitude, versus) {
  const box = element("legend");
  box.replaceChildren();
  box.hidden = !scale?.top && !scale?.hidden;
  if (box.hidden) return [];
  if (scale.hidden) {
    box.append(made("p", "", "Nothing here stands out from chance: the counters of these sketches are shared by too many cells. Zoom in or out; an area's answer has bounds."));
    return [];
  }
  const cells = res >= scale.pixel;
  const side = cells ? res : scale.pixel;
  const width = side * metresPerDegree * Math.cos((latitude * Math.PI) / 180);
  const height = cells ? side * metresPerDegree : width; // a pixel of the map is square
  const unit = cells
    ? `points per cell of ${res}°, ${metres(width)} × ${metres(height)}`.replaceAll(/(\d) (k?m)/g, "$1\u00a0$2")
    : `points per pixel, ${metres(width)} wide`;
  // The logarithm of what the server draws by.
  const top = scale.top * scale.pixel ** 2;
  const per = (side / scale.pixel) ** 2;
  const value = (share) => scale.low * Math.expm1(share * Math.log1p(top / scale.low)) * per;
  const ticks = versus ? [-1, -0.5, 0, 0.5, 1].map((s) => Math.sign(s) * value(Math.abs(s))) : [0, 0.25, 0.5, 0.75, 1].map(value);
  const bar = box.appendChild(made("div", "ramp"));
  bar.style.background = `linear-gradient(to right, ${scale.colours.join(", ")})`;
  const labels = box.appendChild(made("div", "ticks"));
  labels.append(...ticks.map((t) => made("span", "", brief(t))));
  box.append(made("p", "quiet", unit));
  const notes = versus ? ["Blue: fewer points than in the compared rows. Orange: more."] : [];
  if (scale.sampled) notes.push("Drawn from a sample of the cells: zoom in to see all of them.");
  if (scale.dense) notes.push("Estimates: the excess from shared counters is subtracted, and counts that may be chance are left out.");
  for (const n of notes) box.append(made("p", "quiet note", n));
  return [unit, ticks, notes];
}
