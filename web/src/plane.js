// Coordinates of a layer on the map. Longitudes and latitudes are the map's own; a layer in
// metres is a square plane that fills the map's world, in whose projection it is not distorted.
import { MercatorCoordinate } from "maplibre-gl";

// toLayer and toMap convert a point. plane is undefined for a layer in degrees.
export function toLayer([lng, lat], plane) {
  if (!plane) return [lng, lat];
  const { x, y } = MercatorCoordinate.fromLngLat([lng, lat]);
  return [plane.west + x * plane.side, plane.north - y * plane.side];
}

export function toMap([x, y], plane) {
  return plane ? new MercatorCoordinate((x - plane.west) / plane.side, (plane.north - y) / plane.side, 0).toLngLat().toArray() : [x, y];
}

// moved returns a geometry with its points converted by move.
export function moved(geometry, move, plane) {
  if (!geometry || !plane) return geometry;
  const each = (c) => (typeof c[0] === "number" ? move(c, plane) : c.map(each));
  return { ...geometry, coordinates: each(geometry.coordinates) };
}

// boxes returns the part of a layer that the map shows: two boxes if the view crosses 180 degrees.
export function boxes(map, plane) {
  const b = map.getBounds();
  if (plane) {
    const [west, north] = toLayer([Math.max(b.getWest(), -180), b.getNorth()], plane);
    const [east, south] = toLayer([Math.min(b.getEast(), 180), b.getSouth()], plane);
    return [[west, south, east, north]];
  }
  const [south, north] = [Math.max(b.getSouth(), -90), Math.min(b.getNorth(), 90)];
  if (b.getEast() - b.getWest() >= 360) return [[-180, south, 180, north]];
  const west = ((b.getWest() + 180) % 360 + 360) % 360 - 180;
  const east = west + b.getEast() - b.getWest();
  return east <= 180 ? [[west, south, east, north]] : [[west, south, 180, north], [-180, south, east - 360, north]];
}

// box returns one box around the part of a layer that the map shows.
export function box(map, plane) {
  const all = boxes(map, plane);
  return all.length === 1 ? all[0] : [-180, all[0][1], 180, all[0][3]];
}

// sharp returns 2 on screens with at least 1.5 pixels for each pixel of the page, otherwise 1. There, tiles are drawn half as large.
export const sharp = () => (devicePixelRatio >= 1.5 ? 2 : 1);

// pixel returns the side of a pixel in the tiles on the map, in the layer's unit.
export const pixel = (map, plane) => (plane?.side ?? 360) / 256 / 2 ** Math.max(Math.round(map.getZoom() + 1 + Math.log2(sharp())), 0);
