// Uses the page as a person would who chooses, goes back, and takes things along, and
// prints what it read, as JSON, for the test that started it to check.
//
//   node states.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER
import { readFile } from "node:fs/promises";
import { desk, folder, launched, opened, settled, url } from "./browser.mjs";

const browser = await launched();
const read = {};
const { context, page, seen } = await opened(browser, { coarse: true, viewport: desk, permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true });
const shot = (name) => page.screenshot({ path: `${folder}/state-${name}.png` });
const text = (selector) => page.locator(selector).textContent();
const estimate = async () => Number(await page.locator("#answer[data-estimate]").getAttribute("data-estimate"));
const layer = async (name) => {
  await page.locator("#layer").selectOption({ label: name });
  await page.waitForFunction((n) => location.hash.includes(encodeURIComponent(n).replaceAll("%20", "+")), name);
  await settled(page);
};
const shown = () => page.evaluate(() => ({
  tiles: document.body.dataset.tiles ?? "", answer: document.querySelector("#answer").textContent, spots: document.querySelectorAll("#spots li").length,
  pins: document.querySelectorAll(".pin").length, error: document.querySelector("#error").hidden ? "" : document.querySelector("#error").textContent,
  reason: document.querySelector("#reason").hidden ? "" : document.querySelector("#reason").textContent,
  bad: document.querySelector("#bad").hidden ? "" : document.querySelector("#bad").textContent,
  legend: document.querySelector("#legend").hidden ? "" : document.querySelector("#legend").textContent,
  sliders: [...document.querySelectorAll("#filters .filter > span")].map((e) => e.textContent),
}));

// Two columns at once, an area as WKT, and bars that choose.
await layer("crimes.sketch");
await page.getByLabel("month from").selectOption("2018-10");
await page.getByLabel("month to").selectOption("2018-11");
await page.locator("#box").fill("POLYGON ((-3 51, 1 51, 1 53, -3 53, -3 51))");
await page.keyboard.press("Enter");
await settled(page);
read.month = { estimate: await estimate(), sql: await text("#answer pre") };
await page.getByLabel("Column of the bars").selectOption("kind");
await page.locator("#bars[data-by=kind]").waitFor();
read.bars = await page.locator("#bars button[data-value]").evaluateAll((all) => all.map((b) => ({ value: b.dataset.value, estimate: Number(b.dataset.estimate) })));
await page.locator("#bars button[data-value=theft]").click();
await settled(page);
read.both = { estimate: await estimate(), sql: await text("#answer pre"), pressed: await page.locator("#bars button[aria-pressed=true]").allTextContents() };
await page.getByRole("button", { name: "In the area" }).click();
await page.locator("#spots li").first().waitFor();
read.spots = { places: await page.locator("#spots li").allTextContents(), sql: await text("#spots pre") };
await page.locator("#answer summary").click();
await page.locator("#answer details button").click();
await page.locator("#answer details button", { hasText: "Copied" }).waitFor();
read.copied = await page.evaluate(() => navigator.clipboard.readText());
await shot("chosen");

// Files to take along.
const saved = async (button) => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
  const path = `${folder}/saved-${file.suggestedFilename()}`;
  await file.saveAs(path);
  return { name: file.suggestedFilename(), body: await readFile(path) };
};
const png = await saved("#save-png");
read.png = { window: desk, name: png.name, width: png.body.readUInt32BE(16), height: png.body.readUInt32BE(20) };
read.csv = (await saved("#save-csv")).body.toString();
read.geojson = JSON.parse((await saved("#save-geojson")).body.toString());

// A reload and a link show the same; Back shows what was before.
read.link = page.url();
await page.reload();
await page.locator("body[data-ready=true]").waitFor();
await settled(page);
read.reloaded = { estimate: await estimate(), sql: await text("#answer pre"), url: page.url() };
await page.goBack();
await settled(page);
read.back = { estimate: await estimate(), sql: await text("#answer pre") };
await page.goForward();
await settled(page);
read.forward = await estimate();

// Another kind compared with this one.
await page.locator("#compare").click();
await settled(page);
await page.getByLabel("kind", { exact: true }).selectOption("fire");
await settled(page);
read.versus = { estimate: await estimate(), text: await text(".versus"), compared: await text("#compared"), ...(await shown()) };
await shot("versus");

// Below the pointer: a cell and its count, at the hottest place of the view.
await page.evaluate(() => (location.hash = "#layer=crimes.sketch"));
await settled(page);
await page.locator("#hot").click();
await page.locator(".pin").first().waitFor();
// The first that nothing covers.
const pin = await page.locator(".pin").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()).find(({ x, y, width, height }) =>
  document.elementFromPoint(x + width / 2, y + height / 2)?.closest("#map")));
await page.mouse.move(pin.x + pin.width / 2, pin.y + pin.height / 2);
await page.locator("body[data-at]").waitFor();
read.at = { ...JSON.parse(await page.evaluate(() => document.body.dataset.at)), text: await text(".at .maplibregl-popup-content") };
await shot("hover");

// Another layer: nothing of the one before stays.
await page.locator("#hot").click();
await page.locator("#spots li").first().waitFor();
await layer("metres.s");
read.metres = await shown();
await shot("metres");
await layer("partly.s");
read.partly = await shown();
await shot("partly");
await layer("small.s");
read.small = await shown();
await shot("small");
await layer("kinds.s");
read.kinds = { ...(await shown()), names: await page.locator("#filters select[aria-label=category] option").allTextContents() };
await page.locator("#bars[data-by='(category)']").waitFor();
read.kinds.bars = await page.locator("#bars button[data-value]").evaluateAll((all) => all.map((b) => ({ value: b.dataset.value, estimate: Number(b.dataset.estimate) })));
await shot("kinds");

// An area that is none, and one that drops as a file.
await page.locator("#box").fill("POLYGON ((1 2)");
await page.keyboard.press("Enter");
read.wrong = await shown();
await page.evaluate(() => {
  const data = new DataTransfer();
  data.items.add(new File([JSON.stringify({ type: "FeatureCollection", features: [{ type: "Feature", geometry: { type: "MultiPolygon", coordinates: [[[[-3, 51], [1, 51], [1, 53], [-3, 51]]], [[[1, 54], [2, 54], [2, 55], [1, 54]]]] } }] })], "area.geojson"));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
});
await page.locator("#answer[data-estimate]").waitFor();
await settled(page);
read.dropped = { estimate: await estimate(), sql: await text("#answer pre"), ...(await shown()) };

// A box on the next copy of the world, and one with the south pole.
for (const [name, box] of [["copy", "357, 51, 361, 53"], ["world", "-180, -90, 180, 90"]]) {
  await page.locator("#clear").click();
  await page.locator("#box").fill(box);
  await page.keyboard.press("Enter");
  await page.locator("#answer[data-estimate]").waitFor();
  await settled(page);
  read[name] = { estimate: await estimate(), sql: await text("#answer pre"), ...(await shown()) };
}

// A category in the address that there is not.
await context.close();
const other = await opened(browser, { coarse: true, viewport: desk }, "#layer=kinds.s&category=thefd");
await other.page.locator("#error:not([hidden])").waitFor();
read.category = await other.page.locator("#error").textContent();
await other.context.close();

// A column in the address that there is not.
const renamed = await opened(browser, { coarse: true, viewport: desk }, `#layer=kinds.s&where=${encodeURIComponent('[{"by":"sort","value":"1"}]')}`);
await renamed.page.locator("#error:not([hidden])").waitFor();
read.column = await renamed.page.locator("#error").textContent();
await renamed.context.close();

await browser.close();
console.log(JSON.stringify({ ...read, problems: seen.problems, failed: seen.tiles.filter((s) => s !== 200).length, url }));
