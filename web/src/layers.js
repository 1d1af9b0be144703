// The list of layers, of which up to three can be on the map at once.
import { app, nameOf } from "./app.js";
import { element, made } from "./text.js";

export const mostLayers = 3;

// listLayers shows the names of all layers, and the layers on the map. It calls activate or remove with a
// layer of the map, and add to add one.
export function listLayers({ activate, remove, add }) {
  element("layer").replaceChildren(...app.layers.map((l, i) => new Option(nameOf(l), i)));
  const at = app.layers.indexOf(app.layer);
  if (at < 0) element("layer").prepend(new Option(nameOf(app.layer), -1)); // the active layer does not exist any more, and is listed all the same
  element("layer").value = at;
  const chips = app.stack.length < 2 ? [] : app.stack.toReversed().map((shown) => {
    const chip = made("span", "chip");
    const name = chip.appendChild(made("button", "", nameOf(shown.layer)));
    name.setAttribute("aria-pressed", shown === app.shown);
    name.addEventListener("click", () => activate(shown));
    const away = chip.appendChild(made("button", "", "×"));
    away.setAttribute("aria-label", `Remove ${nameOf(shown.layer)}`);
    away.addEventListener("click", () => remove(shown));
    return chip;
  });
  if (app.layers.length > 1 && app.stack.length < mostLayers) {
    const more = made("button", "small", "Add a layer");
    more.addEventListener("click", add);
    chips.push(more);
  }
  element("layers").replaceChildren(...chips);
}

// freeSlot returns a slot that no layer on the map has.
export const freeSlot = () => [0, 1, 2].find((i) => !app.stack.some((s) => s.slot === i));
