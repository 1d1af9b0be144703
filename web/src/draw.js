// Areas drawn by hand, and moved by their corners.
import { TerraDraw, TerraDrawPolygonMode, TerraDrawRectangleMode, TerraDrawSelectMode } from "terra-draw";
import { TerraDrawMapLibreGLAdapter } from "terra-draw-maplibre-gl-adapter";

const colour = "#e8590c";
const styles = { fillColor: colour, fillOpacity: 0.08, outlineColor: colour, outlineWidth: 2, closingPointColor: colour };
const selected = {
  selectedPolygonColor: colour, selectedPolygonFillOpacity: 0.08, selectedPolygonOutlineColor: colour, selectedPolygonOutlineWidth: 2,
  selectionPointColor: "#ffffff", selectionPointOutlineColor: colour, selectionPointWidth: 5,
  midPointColor: colour, midPointOutlineColor: "#ffffff", midPointWidth: 3,
};
const digits = 7; // decimals of a degree in coordinates: 0.0000001 degrees are a centimetre
const mostLatitude = 89.99; // the poles are nowhere on the map
const mostCorners = 200; // an area with more corners shows none to be moved

// drawing lets the user draw one area at a time on a map. It calls drawn with a new area, and changed with an
// area whose corners were moved.
export function drawing(map, drawn, changed) {
  const editable = { feature: { draggable: true, coordinates: { midpoints: true, draggable: true, deletable: true } } };
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: digits }),
    modes: [
      new TerraDrawPolygonMode({ styles }),
      new TerraDrawRectangleMode({ styles }),
      new TerraDrawSelectMode({ flags: { polygon: editable }, styles: selected, keyEvents: { deselect: null, delete: null, rotate: null, scale: null } }),
    ],
  });
  draw.start();
  draw.on("finish", (id, { action } = {}) => {
    const { geometry } = draw.getSnapshotFeature(id);
    if (action === undefined || action === "draw") {
      draw.setMode("static");
      drawn(geometry);
    } else changed(geometry);
  });
  let outline = false; // whether the area is only an outline, whose corners cannot be moved
  const place = (area) => {
    const data = { type: "FeatureCollection", features: area ? [{ type: "Feature", geometry: area, properties: {} }] : [] };
    if (map.getSource("area")) map.getSource("area").setData(data);
    else if (area) {
      map.addSource("area", { type: "geojson", data });
      map.addLayer({ id: "area", type: "line", source: "area", paint: { "line-color": colour, "line-width": 2 } });
    }
    outline = Boolean(area);
  };
  return {
    // begin starts to draw a "polygon" or "rectangle", which replaces the area before.
    begin(mode) {
      this.clear();
      draw.setMode(mode);
    },
    show(area) {
      this.clear();
      const simple = area.type === "Polygon" && area.coordinates.length === 1 && area.coordinates[0].length <= mostCorners;
      if (!simple) {
        place(area);
        return;
      }
      const coordinates = [area.coordinates[0].map(([x, y]) => [Number(x.toFixed(digits)), Math.min(Math.max(Number(y.toFixed(digits)), -mostLatitude), mostLatitude)])];
      const [{ id, valid }] = draw.addFeatures([{ type: "Feature", geometry: { type: "Polygon", coordinates }, properties: { mode: "polygon" } }]);
      if (!valid) {
        place(area); // sides of the area cross: it is only an outline, whose corners cannot be moved
        return;
      }
      draw.setMode("select");
      draw.selectFeature(id);
    },
    clear() {
      draw.clear();
      draw.setMode("static");
      if (outline) place(undefined);
    },
  };
}
