// Queries of the page, to the server or to the files of an export. Both have the same functions: layers and
// look return the layers and where their points are; scale, tiles and at are for the picture; sum, bars and
// hotspots are for an area. Messages of errors are shown to the user.
import * as exported from "./exported.js";
import * as server from "./server.js";

const source = document.documentElement.dataset.manifest ? exported : server;

export const { whenUnreached, layers, basemap, version, tables, build, look, sum, bars, hotspots, at, scale, tiles } = source;
