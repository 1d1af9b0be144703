// What of the map is seen beside the panel.
import { app } from "./app.js";
import { element } from "./text.js";

// fold folds the panel of a phone, or unfolds it.
export function fold(folded) {
  element("panel").classList.toggle("folded", folded);
  element("fold").setAttribute("aria-expanded", !folded);
}

// padding keeps what is shown clear of the panel.
function padding() {
  const panel = element("panel").getBoundingClientRect();
  const below = panel.width > innerWidth / 2; // a phone
  return below ? { top: 20, left: 20, right: 20, bottom: Math.min(panel.height, innerHeight / 2) + 20 }
    : { top: 40, right: 40, bottom: 80, left: panel.right + 40 };
}

// fit shows a box, and goto a place, beside the panel.
export function fit([west, south, east, north], animate) {
  app.map.fitBounds([west, Math.max(south, -85), east, Math.min(north, 85)], { padding: padding(), animate, maxZoom: 14 });
}

export function goTo({ at, zoom }, animate = true) {
  app.map.easeTo({ center: at, zoom, padding: padding(), retainPadding: false, animate });
}
