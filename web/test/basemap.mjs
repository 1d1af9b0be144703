// The page over a map of the user's own: a screenshot, and what the browser complains of.
//
//   node basemap.mjs URL FOLDER-FOR-SCREENSHOTS CHROMIUM NAME ORIGIN-OF-TILES
import { folder, launched, opened, settled } from "./browser.mjs";

const [name, origin] = process.argv.slice(5);
const browser = await launched();
const { page, seen } = await opened(browser, { viewport: { width: 1280, height: 800 } });
await settled(page);
await page.screenshot({ path: `${folder}/basemap-${name}.png` });
await browser.close();
console.log(JSON.stringify(seen.problems.filter((p) => !p.startsWith("asked " + origin))));
