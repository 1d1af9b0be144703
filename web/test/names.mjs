// Names on the map and the search among them, Antarctica, and what lies beside what at
// other widths of the window (pictures of it with CCBF_LONG=1); prints what it read, as JSON, for the test that started it
// to check.
//
//   node names.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER
import { folder, launched, opened, settled } from "./browser.mjs";

const browser = await launched();
const read = {};
const { context, page, seen } = await opened(browser, { coarse: true, viewport: { width: 720, height: 480 } }, "#view=[8,50,3.6]");
const shot = async (name) => process.env.CCBF_LONG && page.screenshot({ path: `${folder}/names-${name}.png` });
const at = async (view) => {
  await page.evaluate((v) => document.getElementById("map").map.jumpTo({ center: v.slice(0, 2), zoom: v[2] }), view);
  await settled(page);
};
const named = (layer) => page.evaluate((l) => [...new Set(document.getElementById("map").map.queryRenderedFeatures({ layers: [l] }).map((f) => f.properties.name))], layer);
const view = () => page.evaluate(() => {
  const { map } = document.getElementById("map");
  const { lng, lat } = map.getCenter();
  return { lng, lat, zoom: map.getZoom(), hash: location.hash };
});

// Names that suit the zoom.
await settled(page);
read.far = { places: await named("places"), countries: await named("names") };
await shot("far");
// Lakes and rivers from afar, and not where they would be beside their places.
await page.waitForFunction(() => document.getElementById("map").map.getLayer("lakes"));
const water = () => page.evaluate(() => Object.fromEntries(["lakes", "rivers"].map((l) => [l, document.getElementById("map").map.queryRenderedFeatures({ layers: [l] }).length])));
await at([-84, 45, 4]); // the Great Lakes
read.water = await water();
await at([-1.3, 53.4, 9]);
read.waterNear = await water();
read.near = { places: await named("places"), countries: await named("names") };

// A place is found by the keyboard, without its accents, and is in the address.
const find = page.locator("#find");
const options = () => page.locator("#found [role=option]").allTextContents();
await find.fill("sao pau");
await page.locator("#found [role=option]").first().waitFor();
read.accents = await options();
await find.fill("london, can");
await page.waitForFunction(() => document.querySelectorAll("#found [role=option]").length > 0 && document.querySelector("#found [role=option]").textContent.includes("Canada"));
read.country = await options();
await find.fill("sheffiel");
await page.waitForFunction(() => document.querySelector("#found [role=option]")?.textContent.startsWith("Sheffield"));
read.same = await options();
await page.keyboard.press("ArrowDown");
await page.keyboard.press("ArrowDown");
await page.keyboard.press("ArrowUp");
read.active = await page.locator("#found [aria-selected=true]").textContent();
await shot("found");
await page.keyboard.press("Enter");
await settled(page);
read.taken = { ...(await view()), field: await find.inputValue(), pins: await page.locator(".place-pin").count(), list: await page.locator("#found").isVisible() };
await shot("taken");
await page.reload();
await page.locator("body[data-ready=true]").waitFor();
await settled(page);
read.reloaded = { ...(await view()), field: await find.inputValue(), pins: await page.locator(".place-pin").count() };
await find.fill("qqqq");
await page.locator("#found li").waitFor();
read.none = await page.locator("#found").textContent();
await find.press("Escape");
await find.press("Escape");
await settled(page);
read.cleared = { ...(await view()), field: await find.inputValue(), pins: await page.locator(".place-pin").count() };

// Antarctica: land down to the edge of the map, and no line where it was cut.
await at([0, -80, 1]);
read.south = await page.evaluate(() => {
  const { map } = document.getElementById("map");
  const land = [], lines = [];
  for (let lon = -175; lon < 180; lon += 10) {
    const p = map.project([lon, -84.8]);
    if (p.x < 0 || p.x > innerWidth) continue;
    land.push(map.queryRenderedFeatures(p, { layers: ["land"] }).length);
  }
  for (const lon of [-180, 0, 180]) {
    const [a, b] = [map.project([lon, -84.6]), map.project([lon, -85])];
    lines.push(map.queryRenderedFeatures([[a.x - 3, a.y], [b.x + 3, b.y]], { layers: ["borders"] }).length);
  }
  return { land, lines };
});
await shot("south");

// Beside each other, whatever the width.
await at([-1.4, 53.4, 6]);
await page.evaluate(() => (document.getElementById("map").map.resize = () => {})); // nothing is drawn anew
read.widths = [];
for (const width of [360, 390, 640, 641, 760, 1100, 1440, 2560]) {
  await page.setViewportSize({ width, height: width < 641 ? 760 : 640 });
  await page.evaluate((w) => document.getElementById("panel").classList.toggle("folded", w < 641), width);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const boxes = await page.evaluate(() => Object.fromEntries(["#panel", "#time", "#legend", "#zoom-data", ".maplibregl-ctrl-top-right", ".maplibregl-ctrl-scale"].map((s) => {
    const { left, top, right, bottom } = document.querySelector(s).getBoundingClientRect();
    return [s, [left, top, right, bottom]];
  })));
  read.widths.push({ width, boxes });
}
await context.close();
await browser.close();
console.log(JSON.stringify({ ...read, problems: seen.problems }));
