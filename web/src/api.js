// What the page asks: of the server, or of the files of an export. Both have the same functions:
// layers and look say what there is and where; scale, tiles and at are the picture; sum, bars and
// hotspots answer for an area. Errors carry words for people.
import * as exported from "./exported.js";
import * as server from "./server.js";

const source = document.documentElement.dataset.manifest ? exported : server;

export const { whenUnreached, layers, basemap, version, tables, build, look, sum, bars, hotspots, at, scale, tiles } = source;
