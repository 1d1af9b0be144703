// What the panel says of a layer.
import { element, made, many, whole } from "./text.js";

// about says what a layer has: how many sketches, what they count, and the rows left out.
export function about(layer) {
  const share = layer.exact === layer.rows ? "exact" : layer.exact === 0 ? "not exact" : `${whole(layer.exact)} of them exact`;
  element("about").textContent = layer.error ? "" :
    `${many(layer.rows, "sketch")}, ${share}: ${whole(layer.total)} points in cells of ${layer.res}, ${whole(Math.ceil(layer.bytes / 1024))} KB`;
  element("bad").hidden = !layer.badRows;
  element("bad").querySelector("summary").textContent = `${many(layer.badRows ?? 0, "row")} left out`;
  element("bad").querySelector("ul").replaceChildren(...(layer.bad ?? []).map((b) => made("li", "quiet", `Row ${whole(b.row)}: ${b.error}`)));
  reason(layer.error);
}

// reason says why there is no map, or nothing.
export function reason(text) {
  element("reason").textContent = text ?? "";
  element("reason").hidden = !text;
}
