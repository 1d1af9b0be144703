// Texts of the panel about a layer.
import { element, made, many, whole } from "./text.js";

// about shows the number of sketches of a layer, their points and bytes, and the rows that were left out.
export function about(layer) {
  const share = layer.exact === layer.rows ? "exact" : layer.exact === 0 ? "not exact" : `${whole(layer.exact)} of them exact`;
  const trees = layer.rows - layer.exact - layer.dense;
  const spread = trees > 0 ? `. ${trees === layer.rows ? "Trees" : `${whole(trees)} are trees`}: counts are of squares, and spread over them` : "";
  const cells = layer.finest < layer.res ? `${layer.finest} to ${layer.res}, the largest of which the map compares,` : `${layer.res},`;
  element("about").textContent = layer.error ? "" :
    `${many(layer.rows, "sketch")}, ${share}: ${many(layer.total, "point")} in cells of ${cells} ${whole(Math.ceil(layer.bytes / 1024))} KB${spread}`;
  element("bad").hidden = !layer.badRows;
  element("bad").querySelector("summary").textContent = `${many(layer.badRows ?? 0, "row")} left out`;
  element("bad").querySelector("ul").replaceChildren(...(layer.bad ?? []).map((b) => made("li", "quiet", `Row ${whole(b.row)}: ${b.error}`)));
  reason(layer.error || (layer.rows > 0 && layer.total === 0 && layer.dense === 0 ? "These sketches have no points." : ""));
}

// reason shows why there is no map; without a text, it hides the reason.
export function reason(text) {
  element("reason").textContent = text ?? "";
  element("reason").hidden = !text;
}

// offers shows what to do if there are no sketches. For each table of points, it has a button that
// builds sketches.
export async function offers(api) {
  const tables = await api.tables();
  reason("There are no sketches of points here. Make some, for example with CREATE TABLE t AS SELECT ccbf_agg(lon, lat, 0.01) AS sketch FROM ...");
  const box = element("build");
  box.hidden = tables.length === 0;
  box.replaceChildren(...tables.map(({ table, x, y }) => {
    const line = made("p", "", `Table ${table} has points, in the columns ${x} and ${y}. `);
    const b = line.appendChild(made("button", "small", "Build sketches of it"));
    b.addEventListener("click", async () => {
      b.disabled = true;
      b.textContent = "Building…";
      try {
        await api.build(table);
        location.reload();
      } catch (error) {
        reason(error.message);
        b.disabled = false;
        b.textContent = "Build sketches of it";
      }
    });
    return line;
  }));
}
