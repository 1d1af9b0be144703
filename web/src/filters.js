// Which rows: for each column of the table all values, one, or those from one to
// another.
import { byCategory, labelOf } from "./app.js";
import { element, made } from "./text.js";

// The part of a date that a column of whole years or months has.
const lengths = { year: 4, month: 7, day: 10 };

// plain is a value as people write it: no more of a date than the column has.
export const plain = (slider, value) => (slider?.grain ? value.slice(0, lengths[slider.grain]) : value.replace(/ 00:00:00(\.0+)?$/, ""));

const dated = (slider) => /^(DATE|TIMESTAMP)/.test(slider.type) || (/VARCHAR|ENUM/.test(slider.type) && slider.values.every((v) => /^\d{4}-\d{2}/.test(v)));

// timeOf is the column that is a layer's time, of the table or of the sketches.
export const timeOf = (layer) => layer.sliders.find((s) => dated(s) && s.values.length > 1);

// ordered are the columns of which a part from one value to another means something.
const ordered = (slider) => !/^(VARCHAR|BOOLEAN|ENUM|UUID|BLOB)/.test(slider.type) || dated(slider);

export const textOf = (slider, c) => (c.to && c.to !== c.value ? `${plain(slider, c.value)} – ${plain(slider, c.to)}` : plain(slider, c.value));

const mostListed = 24; // values in a list; more are searched

// filters shows a layer's columns with what is chosen of them; choose is called with a
// column and the words for it, undefined for all.
export function filters(layer, where, choose) {
  const rows = layer.sliders.map((slider) => row(slider, where.find((w) => w.by === slider.column), choose));
  if (layer.categories && !layer.sliders.some((s) => s.category)) rows.unshift(typed(layer, where.find((w) => w.by === byCategory), choose));
  element("filters").replaceChildren(...rows);
}

// typed is a field for a category of counters, which cannot list theirs.
function typed(layer, chosen, choose) {
  const label = made("label", "filter");
  const field = made("input");
  field.value = chosen?.value ?? "";
  field.placeholder = `one of type ${layer.class || "VARCHAR"}`;
  field.addEventListener("change", () => choose(byCategory, field.value ? { by: byCategory, value: field.value } : undefined));
  label.append(made("span", "quiet", "category"), field);
  return label;
}

function row(slider, chosen, choose) {
  const label = made("div", "filter");
  const name = labelOf(slider);
  label.append(made("span", "quiet", name));
  label.title = name;
  const control = (slider.values.length > mostListed ? searched : listed)(slider);
  const range = ordered(slider) && slider.values.length > 2;
  const from = label.appendChild(control(range ? `${name} from` : name, chosen?.value, "all"));
  const to = range && chosen ? label.appendChild(control(`${name} to`, chosen.to ?? chosen.value)) : undefined;
  const read = () => {
    let a = found(slider, from.value, true);
    if (a === undefined) return choose(slider.column, undefined);
    let b = to ? found(slider, to.value, false) ?? a : a;
    if (slider.values.indexOf(b) < slider.values.indexOf(a)) b = a;
    choose(slider.column, { by: slider.column, value: a, ...(b === a ? {} : { to: b }) });
  };
  from.addEventListener("change", read);
  to?.addEventListener("change", read);
  return label;
}

// found is the value that a text means: itself, for ranges the next that there is, for
// words the first that has it.
function found(slider, text, from) {
  text = text.trim();
  if (text === "" && !slider.values.includes("")) return undefined;
  const { values } = slider;
  const same = values.find((v) => v === text || plain(slider, v) === text);
  if (same !== undefined) return same;
  if (!ordered(slider)) return values.find((v) => v.toLowerCase().includes(text.toLowerCase()));
  const number = (v) => (dated(slider) ? v : Number(v));
  const meant = number(text);
  if (!dated(slider) && Number.isNaN(meant)) return undefined;
  return from ? values.find((v) => number(v) >= meant) : values.findLast((v) => (dated(slider) ? v.slice(0, meant.length) : number(v)) <= meant);
}

const listed = (slider) => (name, value, first) => {
  const s = made("select");
  s.setAttribute("aria-label", name);
  const all = slider.values.includes("") ? "\u0000" : ""; // no value of the column
  if (first) s.append(new Option(first, all));
  s.append(...slider.values.map((v) => new Option(v === "" ? "(empty)" : plain(slider, v), v)));
  s.value = value ?? all;
  return s;
};

let lists = 0;
const searched = (slider) => (name, value, first) => {
  const box = made("div", "searched");
  const field = box.appendChild(made("input"));
  field.setAttribute("aria-label", name);
  field.placeholder = `${first ?? "to"}, of ${slider.values.length.toLocaleString("en")}`;
  field.value = value === undefined ? "" : plain(slider, value);
  const list = box.appendChild(made("datalist"));
  list.id = `values-${lists++}`;
  field.setAttribute("list", list.id);
  list.append(...slider.values.map((v) => new Option(plain(slider, v))));
  Object.defineProperty(box, "value", { get: () => field.value });
  return box;
};
