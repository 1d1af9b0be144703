// Points over time: a histogram of the area, or of what is in view, with a window that is
// dragged, moved and played. Without a window all times count.
import * as api from "./api.js";
import { app, choice, drawable, latest } from "./app.js";
import { plain, textOf, timeOf } from "./filters.js";
import { inQuestion } from "./questions.js";
import { brief, element, whole } from "./text.js";

let [slider, counts, change] = [undefined, [], () => {}];
let [first, last] = [0, 0]; // indexes of the first and the last value in the window; last < first: there is no window
let playing;

const size = () => slider.values.length;
const at = (value) => slider.values.indexOf(value);

// timing sets up the histogram. It calls changed with the column and the condition of a window, or with undefined
// for all times.
export function timing(changed) {
  change = changed;
  const box = element("histogram");
  const index = (e) => {
    const { left, width } = box.getBoundingClientRect();
    return Math.min(Math.max(Math.floor(((e.clientX - left) / width) * size()), 0), size() - 1);
  };
  let drag;
  box.addEventListener("pointerdown", (e) => {
    play(false);
    box.setPointerCapture(e.pointerId);
    const i = index(e);
    const handle = e.target.id;
    const inside = last >= first && i >= first && i <= last && last - first + 1 < size();
    drag = handle === "from" ? { keep: last } : handle === "to" ? { keep: first } : inside ? { from: i, first, last } : { keep: i };
    if (!inside && handle !== "from" && handle !== "to") set(i, i);
  });
  box.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const i = index(e);
    if (drag.keep !== undefined) set(Math.min(drag.keep, i), Math.max(drag.keep, i));
    else move(drag.first + i - drag.from, drag.last - drag.first);
  });
  const end = () => {
    if (drag) tell();
    drag = undefined;
  };
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
  for (const [id, step] of [["from", (by) => set(Math.min(Math.max(first + by, 0), last), last)], ["to", (by) => set(first, Math.max(Math.min(last + by, size() - 1), first))]]) {
    element(id).addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[e.key];
      if (by === undefined) {
        if (e.key === "Escape" && last >= first) none();
        return;
      }
      e.preventDefault();
      if (last < first) [first, last] = [0, size() - 1];
      e.shiftKey && Number.isFinite(by) ? move(first + by, last - first) : step(by);
      tell();
    });
  }
  element("play").addEventListener("click", () => play(element("play").getAttribute("aria-pressed") !== "true"));
  element("speed").addEventListener("change", () => playing && play(true));
  element("time-all").addEventListener("click", none);
}

function none() {
  play(false);
  [first, last] = [0, -1];
  draw();
  change(slider.column, undefined);
}

function set(from, to) {
  [first, last] = [from, to];
  draw();
}

// move moves the window without changing its length.
function move(from, length) {
  from = Math.min(Math.max(from, 0), size() - 1 - length);
  set(from, from + length);
}

function tell() {
  const [value, to] = [slider.values[first], slider.values[last]];
  const all = first === 0 && last === size() - 1;
  change(slider.column, all ? undefined : { by: slider.column, value, ...(to === value ? {} : { to }) });
}

// play moves the window step by step. At the end, it starts again from the beginning.
export function play(on) {
  clearTimeout(playing);
  playing = undefined;
  element("play").setAttribute("aria-pressed", on);
  element("play").textContent = on ? "⏸" : "▶";
  element("play").setAttribute("aria-label", on ? "Pause" : "Play");
  if (!on || !slider) return;
  const step = () => {
    const length = Math.max(last - first, 0);
    last < first || last === size() - 1 ? set(0, length < size() - 1 ? length : 0) : move(first + 1, length);
    tell();
    playing = setTimeout(step, 1000 / Number(element("speed").value));
  };
  step();
}

// showTime shows the time column of a layer with the selected window.
export function showTime() {
  const now = timeOf(app.layer);
  if (now !== slider) counts = [];
  slider = now;
  element("time").hidden = !slider || !drawable();
  if (!slider) return;
  const w = app.where.find((c) => c.by === slider.column);
  [first, last] = w ? [at(w.value), at(w.to ?? w.value)] : [0, -1];
  draw();
}

// askTime counts the points of every time, for the other selected rows.
export const askTime = latest(async (signal) => {
  if (!slider || !drawable()) return;
  const of = slider;
  const where = app.where.filter((w) => w.by !== of.column);
  const a = await api.bars({ ...choice({ layer: app.layer, where }), ...inQuestion(), bars: of.column, all: true }, signal);
  signal.throwIfAborted();
  if (of !== slider) return;
  const values = new Map(a.bars.map((b) => [b.value, b.estimate]));
  counts = slider.values.map((v) => values.get(v) ?? 0);
  element("histogram").dataset.sum = counts.reduce((a, b) => a + b, 0);
  draw();
});

const grains = { year: "year", month: "month", day: "day" };

function draw() {
  const n = size();
  // Each bar has the same number of times, so that it is at least 3 pixels wide.
  const each = Math.ceil(n / Math.max(element("histogram").clientWidth / 3, 1));
  const bars = [];
  for (let i = 0; i < n; i += each) bars.push(counts.slice(i, i + each).reduce((a, b) => a + b, 0));
  const most = Math.max(...bars, 1e-9);
  const chosen = last >= first;
  const paths = ["", ""];
  bars.forEach((count, i) => {
    const [x, h] = [i * each, (count / most) * 100];
    if (h > 0) paths[chosen && x + each > first && x <= last ? 1 : 0] += `M${x + 0.06 * each} 100V${100 - h}h${0.88 * Math.min(each, n - x)}V100z`;
  });
  const svg = element("histogram").querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${n} 100`);
  svg.querySelectorAll("path").forEach((p, i) => p.setAttribute("d", paths[i]));
  element("histogram").classList.toggle("chosen", chosen);
  place(element("window"), chosen, first, last);
  const other = app.versus?.where.find((w) => w.by === slider.column);
  place(element("other"), Boolean(other), at(other?.value), at(other?.to ?? other?.value));
  const [from, to] = chosen ? [first, last] : [0, n - 1];
  for (const [id, i, where] of [["from", from, from], ["to", to, to + 1]]) {
    const e = element(id);
    e.style.left = `${(where / n) * 100}%`;
    for (const [name, value] of [["min", 0], ["max", n - 1], ["now", i]]) e.setAttribute("aria-value" + name, value);
    e.setAttribute("aria-valuetext", plain(slider, slider.values[i]));
  }
  const value = { value: slider.values[from], to: slider.values[to] };
  const count = counts.slice(from, to + 1).reduce((a, b) => a + b, 0);
  element("time-column").textContent = `Points by ${slider.category ? grains[slider.grain] ?? "time" : grains[slider.grain] ?? slider.column}`;
  element("time-text").textContent = `${textOf(slider, value)}${counts.length ? `: ${whole(count)}` : ""} ${app.area ? "in the area" : "in view"}`;
  element("time-all").hidden = !chosen;
  const [start, middle, end] = element("time-ends").children;
  start.textContent = plain(slider, slider.values[0]);
  end.textContent = plain(slider, slider.values[n - 1]);
  middle.textContent = counts.length ? `highest bar ${brief(most < 1e-6 ? 0 : most)}${each > 1 ? `, each of ${each} ${grains[slider.grain] ?? "value"}s` : ""}` : "";
}

function place(e, shown, from, to) {
  e.hidden = !shown || from < 0;
  e.style.left = `${(from / size()) * 100}%`;
  e.style.width = `${((to - from + 1) / size()) * 100}%`;
}
