// The legend: the meaning of the colours in this view, and the choice of colours.
import { app, nameOf } from "./app.js";
import { colours, palettes } from "./theme.js";
import { brief, element, made, metres } from "./text.js";

const metresPerDegree = 111_195; // length of a degree on a sphere with a radius of 6,371 km

// nothing is the legend of a layer without points in view.
const nothing = { notes: [], ticks: [] };

// legend shows the scales of all layers on the map, and returns the scale of the active one: unit, ticks,
// colours and notes. It calls restyle when the user chooses other colours.
export function legend(scales, restyle, zoomToData) {
  const box = element("legend");
  const open = box.querySelector("details")?.open;
  box.replaceChildren();
  box.hidden = !app.stack.some((s, i) => scales[i]);
  const read = app.stack.map((shown, i) => {
    if (!scales[i]) return nothing;
    const part = box.appendChild(made("div", "scale"));
    if (app.stack.length > 1) part.append(made("strong", "", nameOf(shown.layer)));
    const r = reading(shown, scales[i]);
    if (r.ticks.length) part.append(...drawn(r));
    if (scales[i].top === 0 && !scales[i].hidden) {
      const line = part.appendChild(made("p", "", i === app.active ? "No points here. " : "No points here."));
      if (i === app.active) line.append(button("Zoom to data", zoomToData));
    }
    for (const n of r.notes) part.append(made("p", "quiet note", n));
    if (i === app.active && scales[i].top > 0) part.append(choices(shown, restyle, open));
    return r;
  });
  return read[app.active] ?? nothing;
}

function button(text, f) {
  const b = made("button", "small", text);
  b.addEventListener("click", f);
  return b;
}

function drawn({ gradient, ticks, unit }) {
  const bar = made("div", "ramp");
  bar.append(made("div"));
  bar.firstChild.style.background = gradient;
  const labels = made("div", "ticks");
  labels.append(...ticks.map(({ at, value }) => {
    const t = made("span", "", brief(value));
    t.style.left = `${at * 100}%`;
    return t;
  }));
  return [bar, labels, made("p", "quiet", unit)];
}

// reading returns the unit, ticks, colours and notes of a layer's scale in a view.
function reading({ layer, versus }, scale) {
  const notes = [];
  if (scale.hidden) notes.push("Nothing here stands out from chance: the counters of these sketches are shared by too many cells. Zoom in or out; an area's answer has bounds.");
  if (!scale.top) return { ...nothing, notes };
  const { plane } = app;
  const cells = layer.res >= scale.pixel;
  const side = cells ? layer.res : scale.pixel;
  const width = side * metresPerDegree * Math.cos((app.map.getCenter().lat * Math.PI) / 180);
  const height = cells ? side * metresPerDegree : width; // a pixel of the map is square
  const unit = plane ? `points per ${cells ? `cell of ${side}` : `pixel, ${brief(side)} wide`}`
    : cells ? `points per cell of ${side}°, ${metres(width)} × ${metres(height)}`.replaceAll(/(\d) (k?m)/g, "$1\u00a0$2")
      : `points per pixel, ${metres(width)} wide`;
  const values = scale.steps.map((v) => v * side ** 2);
  const top = values.at(-1);
  // share returns the position of a value on the ramp, from 0 to 1.
  const share = (v) => {
    const i = values.findLastIndex((s) => s <= v);
    if (i < 0) return 0;
    if (i >= values.length - 1) return 1;
    return (i + (v - values[i]) / (values[i + 1] - values[i] || 1)) / (values.length - 1);
  };
  const whole = layer.exact === layer.rows && cells || layer.exact === layer.rows && top >= 4;
  let ticks = nice(top, whole).map((value) => ({ at: share(value), value }));
  const apart = versus ? 0.24 : 0.13;
  let last = 0;
  ticks = ticks.filter(({ at }) => at - last >= apart && (last = at));
  let { colours: c } = scale;
  let gradient;
  if (versus) {
    gradient = `linear-gradient(to right, ${c.join(", ")})`;
    ticks = [...ticks.toReversed().map(({ at, value }) => ({ at: (1 - at) / 2, value: -value })), { at: 0.5, value: 0 }, ...ticks.map(({ at, value }) => ({ at: (1 + at) / 2, value }))];
    notes.push("Blue: fewer points than in the compared rows. Orange: more.");
  } else {
    // Less than one point has the colour of one point, but fainter, down to nothing at 0.
    const one = Math.min(share(Math.min(1, top)), 0.999);
    const at = (s) => c[Math.round(s * (c.length - 1))];
    const stops = c.map((v, i) => [i / (c.length - 1), v]).filter(([s]) => s > one);
    gradient = `linear-gradient(to right, color-mix(in srgb, ${at(one)}, transparent) 0, ${at(one)} ${one * 100}%, ${stops.map(([s, v]) => `${v} ${s * 100}%`).join(", ")})`;
    ticks.unshift({ at: 0, value: 0 });
  }
  if (scale.spread) notes.push("Counts of a tree's squares are spread over them; less than one point a pixel is fainter.");
  if (scale.sampled) notes.push("Drawn from a sample of the cells: zoom in to see all of them.");
  if (scale.dense) notes.push("Estimates: the excess from shared counters is subtracted, and counts that may be chance are left out.");
  return { unit, ticks, notes, gradient, colours: c, top };
}

// nice returns 1, 2, 5, 10 and so on up to top. If counts need not be whole, it begins below 1.
function nice(top, whole) {
  const values = [];
  for (let power = whole ? 0 : Math.floor(Math.log10(top)) - 2; 10 ** power <= top; power++) {
    for (const digit of [1, 2, 5]) if (digit * 10 ** power <= top * (1 + 1e-9)) values.push(digit * 10 ** power);
  }
  return values;
}

// choices returns the controls for other colours.
function choices(shown, restyle, open) {
  const details = made("details");
  details.open = open;
  details.append(made("summary", "", "Colours"));
  const select = (label, values, now, f) => {
    const s = details.appendChild(made("label", "", label)).appendChild(made("select"));
    s.append(...values.map(([value, text]) => new Option(text, value)));
    s.value = now;
    s.addEventListener("change", () => restyle(f(s.value)));
  };
  select("Ramp ", [["", `Automatic (${palettes[colours().palette]})`], ...Object.entries(palettes)], shown.palette ?? "", (v) => ({ palette: v || undefined }));
  select("Scale ", [["log", "Logarithmic"], ["linear", "Linear"], ["equal", "Equalized: each colour as many pixels"]], shown.scale, (v) => ({ scale: v }));
  const opacity = details.appendChild(made("label", "", "Opacity ")).appendChild(made("input"));
  Object.assign(opacity, { type: "range", min: 0.1, max: 1, step: 0.05, value: shown.opacity });
  opacity.addEventListener("change", () => restyle({ opacity: Number(opacity.value) }));
  return details;
}
