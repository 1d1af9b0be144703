// The part of the map that the panel does not cover.
import { app } from "./app.js";
import { toMap } from "./plane.js";
import { element } from "./text.js";

const phone = () => innerWidth <= 640;

// fold folds or unfolds the panel on a phone.
export function fold(folded) {
  element("panel").scrollTop = 0;
  element("panel").classList.toggle("folded", folded);
  element("fold").setAttribute("aria-expanded", !folded);
  element("fold").setAttribute("aria-label", folded ? "Expand the panel" : "Collapse the panel");
}

// unfold scrolls to a part of the panel.
export function unfold(part) {
  if (phone()) fold(false);
  const { top, bottom } = part.getBoundingClientRect();
  const panel = element("panel").getBoundingClientRect();
  if (top < panel.top + 30 || bottom > panel.bottom) element("panel").scrollTop += top - panel.top - 36;
}

// padding returns the margins of the map that the panel and the time cover, in pixels.
function padding() {
  const panel = element("panel").getBoundingClientRect();
  const time = element("time").hidden ? 0 : element("time").offsetHeight;
  return phone() ? { top: time + 30, left: 20, right: 20, bottom: Math.min(panel.height, innerHeight / 2) + 20 }
    : { top: 40, right: 40, bottom: time + 60, left: panel.right + 40 };
}

// fit shows a box of the layer, and goTo a place, next to the panel.
export function fit([west, south, east, north], animate) {
  const [a, b] = [toMap([west, south], app.plane), toMap([east, north], app.plane)];
  app.map.fitBounds([a[0], Math.max(a[1], -85), b[0], Math.min(b[1], 85)], { padding: padding(), animate, maxZoom: app.plane ? 20 : 14 });
}

export function goTo({ at, zoom }, animate = true) {
  app.map.easeTo({ center: at, zoom, padding: padding(), retainPadding: false, animate });
}
