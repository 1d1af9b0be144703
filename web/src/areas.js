// Areas as text: a box, WKT or GeoJSON.

export function boxArea([west, south, east, north]) {
  return { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] };
}

// areaOf reads an area from a text that the user typed, pasted, or dropped as a file. In degrees, a box may cross
// the 180th meridian: its west is then above its east.
export function areaOf(text, degrees) {
  text = text.trim();
  if (text.startsWith("{")) return geometryOf(JSON.parse(text));
  if (/^(SRID=\d+;)?\s*(MULTI)?POLYGON/i.test(text)) return wkt(text.replace(/^SRID=\d+;/i, ""));
  let [west, south, east, north, ...rest] = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  if (degrees && west <= 180 && east >= -180 && east < west) east += 360;
  if (rest.length || !(west < east && south < north)) {
    throw new Error("An area is a box of four numbers (west, south, east, north), WKT, for example POLYGON ((0 0, 1 0, 1 1, 0 0)), or GeoJSON.");
  }
  return boxArea([west, south, east, north]);
}

// geometryOf returns all polygons of a GeoJSON object as one geometry.
function geometryOf(json) {
  const polygons = [];
  const walk = (o) => {
    switch (o?.type) {
      case "FeatureCollection":
        return o.features.forEach(walk);
      case "Feature":
        return walk(o.geometry);
      case "GeometryCollection":
        return o.geometries.forEach(walk);
      case "Polygon":
        return polygons.push(o.coordinates);
      case "MultiPolygon":
        return polygons.push(...o.coordinates);
    }
  };
  walk(json);
  if (!polygons.length) throw new Error("The GeoJSON has no polygon.");
  return multi(polygons);
}

const multi = (polygons) =>
  polygons.length === 1 ? { type: "Polygon", coordinates: polygons[0] } : { type: "MultiPolygon", coordinates: polygons };

// wkt reads POLYGON and MULTIPOLYGON. It rewrites the text as JSON: pairs of numbers become lists, and
// parentheses become brackets.
function wkt(text) {
  const [, many, body] = text.match(/^\s*(MULTI)?POLYGON\s*(?:Z|M|ZM)?\s*(\(.*\))\s*;?$/is) ?? [];
  if (!body || /[^-+.\deE\s(),]/.test(body)) throw new Error("This is not WKT of a polygon.");
  const number = "[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?";
  const json = body
    .replace(new RegExp(`(${number})\\s+(${number})(?:\\s+${number})*`, "g"), (_, x, y) => `[${Number(x)},${Number(y)}]`)
    .replaceAll("(", "[").replaceAll(")", "]");
  try {
    const lists = JSON.parse(json);
    return multi(many ? lists : [lists]);
  } catch {
    throw new Error("This is not WKT of a polygon: parentheses or numbers do not match.");
  }
}

// boundsOf returns the box around an area.
export function boundsOf(area) {
  const points = area.coordinates.flat(area.type === "Polygon" ? 1 : 2);
  const of = (axis, f) => points.reduce((m, p) => f(m, p[axis]), points[0][axis]);
  return [of(0, Math.min), of(1, Math.min), of(0, Math.max), of(1, Math.max)];
}

// inWorld returns an area in degrees as its parts between -180 and 180 degrees of longitude. The map goes around the
// globe, and so can an area that is drawn on it. An area all around the globe stays as it is.
export function inWorld(area) {
  const [west, , east] = boundsOf(area);
  if ((west >= -180 && east <= 180) || east - west >= 360) return area;
  const parts = [];
  for (let middle = Math.floor((west + 180) / 360) * 360; middle - 180 < east; middle += 360) {
    for (const rings of area.type === "Polygon" ? [area.coordinates] : area.coordinates) {
      const inside = rings.map((ring) => cut(cut(ring, middle - 180, 1), middle + 180, -1)).filter((ring) => ring.length > 3);
      if (inside.length) parts.push(inside.map((ring) => ring.map(([x, y]) => [Number((x - middle).toFixed(9)), y])));
    }
  }
  return multi(parts);
}

// cut returns the part of a ring east of a meridian (side 1) or west of it (side -1). Sutherland and Hodgman 1974.
function cut(ring, at, side) {
  const out = [];
  ring.forEach(([x, y], i) => {
    const [u, v] = ring.at(i - 1);
    if ((x - at) * side > 0 !== (u - at) * side > 0) out.push([at, v + ((y - v) * (at - u)) / (x - u)]);
    if ((x - at) * side > 0) out.push([x, y]);
  });
  const [a, z] = [out[0], out.at(-1)];
  return !a || (a[0] === z[0] && a[1] === z[1]) ? out : [...out, a];
}
