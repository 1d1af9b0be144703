// Searches the names on the map, without a network.
import { Marker } from "maplibre-gl";
import { everyPlace } from "./places.js";
import { element, made } from "./text.js";

const most = 8; // largest number of places in the list

// plain returns a name without accents and in lower case, as people type it.
const folded = { "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ə": "e", "‘": "", "’": "", "'": "", "ʻ": "", "-": " " };
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[łøđðþßæœıə‘’'ʻ-]/g, (c) => folded[c]);

const regions = new Intl.DisplayNames(["en"], { type: "region" });
const countryOf = (code) => {
  try {
    return regions.of(code);
  } catch {
    return code;
  }
};

let index; // index of all names, in the form that plain returns
async function indexed(countries) {
  if (index) return index;
  const all = await everyPlace();
  index = all.names.map((name, i) => ({ name, plain: plain(name), at: [all.lon[i], all.lat[i]], zoom: all.zooms[i], country: countryOf(all.countries.slice(2 * i, 2 * i + 2)) }));
  for (const { properties, geometry } of await countries) {
    index.push({ name: properties.name, plain: plain(properties.name), at: geometry.coordinates, zoom: 1, country: "", size: properties.size });
  }
  return index;
}

// matches returns the best places for a text, "name" or "name, country". Whole names come before beginnings,
// beginnings before later words, large places before small ones.
function matches(all, typed) {
  const [name, country] = typed.split(",").map((t) => plain(t.trim()));
  if (!name) return [];
  const found = [];
  for (const p of all) {
    const at = p.plain.startsWith(name) ? 0 : p.plain.indexOf(" " + name);
    if (at < 0 || country && !plain(p.country).startsWith(country)) continue;
    found.push({ place: p, how: at > 0 ? 2 : p.plain.length === name.length ? 0 : 1 });
  }
  // A large city comes before a hamlet whose whole name matches.
  const order = (f) => f.place.zoom + 4 * f.how;
  return found.sort((a, b) => order(a) - order(b) || a.place.plain.length - b.place.plain.length).slice(0, most).map((f) => f.place);
}

// searching sets up the field. countries is a promise of features. It calls go with a place to show, or with
// undefined to remove it from the map.
export function searching(countries, go) {
  const [field, list] = [element("find"), element("found")];
  let [places, active, asked] = [[], -1, 0];
  const show = (found) => {
    places = found;
    active = -1;
    const twice = (p) => places.some((o) => o !== p && o.name === p.name && o.country === p.country);
    list.replaceChildren(...places.map((p, i) => {
      const item = made("li", "", p.name);
      item.id = `found-${i}`;
      item.role = "option";
      const where = twice(p) ? `${p.country}, ${p.at[1].toFixed(1)}° ${p.at[0].toFixed(1)}°` : p.country;
      item.append(made("span", "quiet", where));
      item.addEventListener("pointerdown", (e) => e.preventDefault()); // the field keeps the focus
      item.addEventListener("click", () => take(i));
      return item;
    }));
    const none = places.length === 0 && field.value.trim().length > 1;
    if (none) list.append(made("li", "quiet", "No place with this name."));
    list.hidden = places.length === 0 && !none;
    field.setAttribute("aria-expanded", !list.hidden);
    field.removeAttribute("aria-activedescendant");
  };
  const hide = () => {
    asked++;
    show([]);
    list.hidden = true;
    field.setAttribute("aria-expanded", false);
  };
  const step = (by) => {
    if (!places.length) return;
    active = (active + by + places.length) % places.length;
    for (const [i, item] of [...list.children].entries()) item.setAttribute("aria-selected", i === active);
    list.children[active].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", `found-${active}`);
  };
  const take = (i) => {
    const { name, country, at, zoom, size } = places[i];
    hide();
    field.value = country ? `${name}, ${country}` : name;
    field.blur(); // hides the keyboard of a phone
    // The world is 360 degrees wide at zoom 0. Smaller places get a higher zoom.
    const closest = size ? Math.log2(360 / Math.sqrt(size)) : zoom < 5 ? 9 : zoom < 8 ? 10.5 : 12;
    go({ name: field.value, at, zoom: Math.min(closest, 12) });
  };
  const look = async () => {
    const mine = ++asked;
    const all = field.value.trim() ? await indexed(countries) : [];
    if (mine === asked) show(matches(all, field.value));
  };
  field.addEventListener("input", () => {
    if (!field.value) go(undefined);
    look().catch(() => hide());
  });
  field.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown") step(1);
    else if (e.key === "ArrowUp") step(active < 0 ? 0 : -1);
    else if (e.key === "Escape") {
      if (list.hidden) field.value = "", go(undefined);
      hide();
      e.stopPropagation();
    } else return;
    e.preventDefault();
  });
  field.addEventListener("blur", () => setTimeout(hide, 100));
  element("search").addEventListener("submit", async (e) => {
    e.preventDefault();
    if (!places.length) await look();
    if (places.length) take(Math.max(active, 0));
  });
}

let marker;

// pointOut marks a place, or removes the mark.
export function pointOut(map, place) {
  marker?.remove();
  marker = undefined;
  if (!place) return;
  const pin = made("div", "place-pin");
  pin.title = place.name;
  marker = new Marker({ element: pin }).setLngLat(place.at).addTo(map);
}
