// The page over maps of the user's own, one after the other: a screenshot of each, what the
// page says, and what the browser complains of, as JSON by name.
//
//   node basemap.mjs - FOLDER-FOR-SCREENSHOTS BROWSER NAME=URL...
import { calm, folder, launched, settled, watched } from "./browser.mjs";

const browser = await launched();
const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 660, height: 400 } });
context.setDefaultTimeout(0);
const read = {};
for (const given of process.argv.slice(5)) {
  const [name, url] = [given.slice(0, given.indexOf("=")), given.slice(given.indexOf("=") + 1)];
  const page = await context.newPage();
  await calm(page);
  // No outlines, of which nothing is asked here and which take most of the time.
  const none = { type: "Topology", objects: { countries: { type: "GeometryCollection", geometries: [] } }, arcs: [] };
  await page.route(/assets\/countries(-fine)?\.json$/, (route) => route.fulfill({ json: none }));
  const seen = watched(page, url);
  // The middle of England, beside the sketches.
  await page.goto(url + "#view=" + encodeURIComponent("[-2,54.5,5.5]"));
  await page.locator("body[data-ready=true]").waitFor();
  const error = page.locator("#error");
  if (name.startsWith("wrong")) await page.locator("#error:not([hidden])").waitFor();
  else await settled(page);
  await page.screenshot({ path: `${folder}/basemap-${name}.png` });
  read[name] = { said: (await error.isHidden()) ? "" : await error.textContent(), problems: seen.problems };
  await page.close();
}
await browser.close();
console.log(JSON.stringify(read));
