// Filters of rows: for each column of the table, all values, one value, or a range.
import { element, made } from "./text.js";

export const byCategory = "(category)"; // the column of the sketches' own categories

// Number of characters of a date in a column of whole years, months or days.
const lengths = { year: 4, month: 7, day: 10 };

// plain returns a value as people write it: a date only as far as the column has it.
export const plain = (slider, value) => (slider?.grain ? value.slice(0, lengths[slider.grain]) : value.replace(/ 00:00:00(\.0+)?$/, ""));

const dated = (slider) => /^(DATE|TIMESTAMP)/.test(slider.type) || (/VARCHAR|ENUM/.test(slider.type) && slider.values.every((v) => /^\d{4}-\d{2}/.test(v)));

// timeOf returns the column with the time of a layer: a column of the table or the categories.
export const timeOf = (layer) => layer.sliders.find((s) => dated(s) && s.values.length > 1);

// ordered reports whether ranges of a column's values make sense.
const ordered = (slider) => !/^(VARCHAR|BOOLEAN|ENUM|UUID|BLOB)/.test(slider.type) || dated(slider);

// labelOf returns the label of a column.
export const labelOf = (slider) => (slider?.category ? ["category", slider.part].join(" ").trim() : slider?.column);

export const textOf = (slider, c) => (c.to && c.to !== c.value ? `${plain(slider, c.value)} – ${plain(slider, c.to)}` : plain(slider, c.value));

const mostListed = 24; // a column with more values has a search field in place of a list

// filters shows the columns of a layer with their selected values. It calls choose with a column and its
// condition, or undefined for all values.
export function filters(layer, where, choose) {
  const rows = layer.sliders.map((slider) => row(slider, where.find((w) => w.by === slider.column), choose));
  if (layer.categories && !layer.sliders.some((s) => s.category)) rows.unshift(typed(layer, where.find((w) => w.by === byCategory), choose));
  element("filters").replaceChildren(...rows);
}

// typed returns an input for a category of counters, which cannot list their categories.
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

// found returns the value that matches a text: the same value, in ranges the next existing one, in texts the
// first one that contains it.
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
  const all = slider.values.includes("") ? "\u0000" : ""; // differs from every value of the column
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
