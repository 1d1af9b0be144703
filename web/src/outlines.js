// Land, borders and the names of countries, from Natural Earth's outlines.
import { feature, mesh } from "topojson-client";

// unwrapped lets a line go on past 180 degrees where it crosses the antimeridian:
// the outlines are made for a globe, on which it does not jump. A ring that goes
// round the pole, Antarctica's coast, is closed below it.
function unwrapped(line) {
  let turn = 0;
  const out = line.map(([x, y], i) => {
    const step = i === 0 ? 0 : x - line[i - 1][0];
    turn += step > 180 ? -360 : step < -180 ? 360 : 0;
    return [x + turn, y];
  });
  if (turn !== 0 && line[0][0] === line.at(-1)[0] && line[0][1] === line.at(-1)[1]) {
    out.push([out.at(-1)[0], -90], [out[0][0], -90], out[0]);
  }
  return out;
}

function planar({ type, coordinates }) {
  const deep = { MultiLineString: 1, Polygon: 1, MultiPolygon: 2 }[type];
  const walk = (c, depth) => (depth === 0 ? unwrapped(c) : c.map((part) => walk(part, depth - 1)));
  return { type, coordinates: walk(coordinates, deep) };
}

// outlines are what the map draws of a topology.
export function outlines(countries) {
  const features = feature(countries, countries.objects.countries).features.map((f) => ({ ...f, geometry: planar(f.geometry) }));
  return {
    land: { type: "FeatureCollection", features },
    borders: planar(mesh(countries, countries.objects.countries)),
    names: { type: "FeatureCollection", features: features.map(label).filter(Boolean) },
  };
}

// label is a country's name at the middle of its largest part; size is how large that is,
// in square degrees as the map shows them.
function label({ properties, geometry }) {
  const rings = geometry.type === "Polygon" ? [geometry.coordinates[0]] : geometry.coordinates.map((p) => p[0]);
  const [size, at] = rings.map(centroid).reduce((a, b) => (b[0] > a[0] ? b : a), [0]);
  return at && { type: "Feature", properties: { name: properties.name, size }, geometry: { type: "Point", coordinates: at } };
}

// centroid is the area of a ring and the centre of it (the shoelace formula).
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
