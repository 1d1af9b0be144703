// Land, borders and the names of countries, from Natural Earth's outlines.
import { feature, mesh } from "topojson-client";

// unwrapped continues a line beyond 180 degrees if it crosses the antimeridian: the outlines are made for a
// globe, and would jump on a plane. A ring around the pole, the coast of Antarctica, is closed below the pole.
function unwrapped(line, ring) {
  let turn = 0;
  const out = line.map(([x, y], i) => {
    const step = i === 0 ? 0 : x - line[i - 1][0];
    turn += step > 180 ? -360 : step < -180 ? 360 : 0;
    return [x + turn, y];
  });
  if (ring && turn !== 0 && line[0][0] === line.at(-1)[0] && line[0][1] === line.at(-1)[1]) {
    out.push([out.at(-1)[0], -90], [out[0][0], -90], out[0]);
  }
  return out;
}

// Edges of the data are not outlines: lines along 180 degrees, and along the pole, where Antarctica's ring has
// sides that are a point on the globe.
const atPole = ([, y]) => y < -89.9;
const atEdge = ([x]) => Math.abs(x) > 179.999;
const alongEdge = (a, b) => (atPole(a) && atPole(b)) || (atEdge(a) && atEdge(b));

// coasts returns the parts of a line that are not along an edge of the data.
function coasts(line) {
  const parts = [];
  for (let i = 0; i + 1 < line.length; i++) {
    if (alongEdge(line[i], line[i + 1])) continue;
    if (parts.at(-1)?.at(-1) === line[i]) parts.at(-1).push(line[i + 1]);
    else parts.push([line[i], line[i + 1]]);
  }
  return parts.map((part) => unwrapped(part, false));
}

function planar({ type, coordinates }) {
  const rings = (polygon) => polygon.filter((r) => !r.every(atPole)).map((r) => unwrapped(r, true));
  if (type === "Polygon") return { type, coordinates: rings(coordinates) };
  return { type, coordinates: type === "MultiPolygon" ? coordinates.map(rings) : coordinates.flatMap(coasts) };
}

// outlines returns the land, borders and labels of a topology.
export function outlines(countries) {
  const features = feature(countries, countries.objects.countries).features.map((f) => ({ ...f, geometry: planar(f.geometry) }));
  return {
    land: { type: "FeatureCollection", features },
    borders: planar(mesh(countries, countries.objects.countries)),
    names: { type: "FeatureCollection", features: features.map(label).filter(Boolean) },
  };
}

// label returns a country's name at the centre of its largest part. size is the area of this part in square
// degrees, as the map shows them.
function label({ properties, geometry }) {
  const rings = geometry.type === "Polygon" ? [geometry.coordinates[0]] : geometry.coordinates.map((p) => p[0]);
  const [size, at] = rings.map(centroid).reduce((a, b) => (b[0] > a[0] ? b : a), [0]);
  return at && { type: "Feature", properties: { name: properties.name, size }, geometry: { type: "Point", coordinates: at } };
}

// centroid returns the area of a ring and its centre (the shoelace formula).
function centroid(ring) {
  let [area, x, y] = [0, 0, 0];
  for (let i = 0; i + 1 < ring.length; i++) {
    const [[x0, y0], [x1, y1]] = [ring[i], ring[i + 1]];
    const cross = x0 * y1 - x1 * y0;
    area += cross / 2;
    x += ((x0 + x1) * cross) / 6;
    y += ((y0 + y1) * cross) / 6;
  }
  return [Math.abs(area) / Math.max(Math.cos((y / area) * (Math.PI / 180)), 0.1), [x / area, y / area]];
}
