// Areas drawn by hand.
import { TerraDraw, TerraDrawPolygonMode, TerraDrawRectangleMode } from "terra-draw";
import { TerraDrawMapLibreGLAdapter } from "terra-draw-maplibre-gl-adapter";

const colour = "#e8590c";
const styles = { fillColor: colour, fillOpacity: 0.12, outlineColor: colour, outlineWidth: 2, closingPointColor: colour };

// drawing draws on a map: one area at a time, handed to done as a polygon.
export function drawing(map, done) {
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: 7 }),
    modes: [new TerraDrawPolygonMode({ styles }), new TerraDrawRectangleMode({ styles })],
  });
  draw.start();
  draw.on("finish", (id) => {
    const { geometry } = draw.getSnapshotFeature(id);
    draw.setMode("static");
    done(geometry);
  });
  return {
    // begin starts an area, "polygon" or "rectangle", in place of the one before.
    begin(mode) {
      draw.clear();
      draw.setMode(mode);
    },
    show(polygon) {
      this.clear();
      draw.addFeatures([{ type: "Feature", geometry: polygon, properties: { mode: "polygon" } }]);
    },
    clear() {
      draw.clear();
      draw.setMode("static");
    },
  };
}
