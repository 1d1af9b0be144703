// A chart with a bar for each value of a column. A click on a bar selects its value, or removes the selection.
import { app, sliderOf } from "./app.js";
import { plain } from "./filters.js";
import { brief, made, span, sqlBox, whole } from "./text.js";

// bars returns the chart of a result, by a column. picked reports whether a value is selected, pick selects one.
export function bars(answer, by, picked, pick) {
  const slider = sliderOf(app.layer, by);
  const list = made("ol", "bars");
  const most = Math.max(...answer.bars.map((b) => b.estimate), 1);
  for (const b of answer.bars) {
    const name = b.value === "" ? "(empty)" : plain(slider, b.value ?? "NULL");
    const button = list.appendChild(made("li")).appendChild(made("button"));
    button.style.setProperty("--share", b.estimate / most);
    button.append(made("span", "name", name), made("span", "count", (b.low === b.high ? "" : "≈ ") + brief(b.estimate)));
    button.title = `${name}: ${whole(b.estimate)}, ${span({ ...b, certain: answer.certain })}`;
    button.dataset.value = b.value;
    button.dataset.estimate = b.estimate;
    button.disabled = b.value === null;
    if (b.value === null) button.title += ". Rows where the column is NULL cannot be selected";
    button.setAttribute("aria-pressed", picked(b.value));
    button.addEventListener("click", () => pick(b.value));
  }
  const rest = answer.all - answer.bars.length;
  return [list, made("p", "quiet", `${rest > 0 ? `the largest; ${whole(rest)} more, ` : ""}${answer.ms.toFixed(1)} ms`), sqlBox(answer.sql)];
}
