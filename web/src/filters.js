// Which rows: for each column of the table all values, one, or those from one to
// another.
import { element, made } from "./text.js";

// plain is a value without a time of day that is midnight.
export const plain = (value) => value.replace(/ 00:00:00(\.0+)?$/, "");

// ordered are the columns of which a part from one value to another means something.
export const ordered = (slider) => !/^(VARCHAR|BOOLEAN)$/.test(slider.type) || slider.values.every((v) => /^\d{4}-\d{2}/.test(v));

export const textOf = (c) => (c.to && c.to !== c.value ? `${plain(c.value)} – ${plain(c.to)}` : plain(c.value));

// filters shows a layer's columns with what is chosen of them; choose is called with a
// column and the words for it, undefined for all.
export function filters(layer, where, choose) {
  element("filters").replaceChildren(...layer.sliders.map((slider) => row(slider, where.find((w) => w.by === slider.column), choose)));
}

function row(slider, chosen, choose) {
  const label = made("div", "filter");
  label.append(made("span", "quiet", slider.column));
  const select = (name, first, value) => {
    const s = label.appendChild(made("select"));
    s.setAttribute("aria-label", name);
    if (first) s.append(new Option(first, ""));
    s.append(...slider.values.map((v) => new Option(plain(v), v)));
    s.value = value ?? "";
    return s;
  };
  const range = ordered(slider) && slider.values.length > 2;
  const from = select(range ? `${slider.column} from` : slider.column, "all", chosen?.value);
  const to = range && chosen ? select(`${slider.column} to`, undefined, chosen.to ?? chosen.value) : undefined;
  const read = () => {
    if (!from.value) return choose(slider.column, undefined);
    let [a, b] = [from.value, to?.value ?? from.value];
    if (slider.values.indexOf(b) < slider.values.indexOf(a)) b = a;
    choose(slider.column, { by: slider.column, value: a, ...(b === a ? {} : { to: b }) });
  };
  from.addEventListener("change", read);
  to?.addEventListener("change", read);
  return label;
}
