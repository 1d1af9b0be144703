// Areas as text: a box, WKT or GeoJSON.

export function boxArea([west, south, east, north]) {
  return { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] };
}

// areaOf reads an area from a text that the user typed, pasted, or dropped as a file.
export function areaOf(text) {
  text = text.trim();
  if (text.startsWith("{")) return geometryOf(JSON.parse(text));
  if (/^(SRID=\d+;)?\s*(MULTI)?POLYGON/i.test(text)) return wkt(text.replace(/^SRID=\d+;/i, ""));
  const [west, south, east, north, ...rest] = text.split(/[\s,;]+/).filter(Boolean).map(Number);
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
