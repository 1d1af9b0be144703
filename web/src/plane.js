// Coordinates of a layer on the map. Longitudes and latitudes are the map's own; a layer in
// metres is a square plane that fills the map's world, in whose projection it is not distorted.
import { MercatorCoordinate } from "maplibre-gl";

// toLayer and toMap move a point; a plane is what the server says of the layer, or nothing.
export function toLayer([lng, lat], plane) {
  if (!plane) return [lng, lat];
  const { x, y } = MercatorCoordinate.fromLngLat([lng, lat]);
  return [plane.west + x * plane.side, plane.north - y * plane.side];
}

export function toMap([x, y], plane) {
  return plane ? new MercatorCoordinate((x - plane.west) / plane.side, (plane.north - y) / plane.side, 0).toLngLat().toArray() : [x, y];
}

// moved is a geometry with its points moved.
export function moved(geometry, move, plane) {
  if (!geometry || !plane) return geometry;
  const each = (c) => (typeof c[0] === "number" ? move(c, plane) : c.map(each));
  return { ...geometry, coordinates: each(geometry.coordinates) };
}

// boxes are the part of a layer that the map shows: two where it goes on beyond 180 degrees.
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

// box is all of it in one, as large as it has to be.
export function box(map, plane) {
  const all = boxes(map, plane);
  return all.length === 1 ? all[0] : [-180, all[0][1], 180, all[0][3]];
}

// sharp is how many pixels of the screen there are to one of the page: tiles are smaller there.
export const sharp = () => (devicePixelRatio >= 1.5 ? 2 : 1);

// pixel is the side of a pixel of the tiles that the map shows, in the layer's unit.
export const pixel = (map, plane) => (plane?.side ?? 360) / 256 / 2 ** Math.max(Math.round(map.getZoom() + 1 + Math.log2(sharp())), 0);
