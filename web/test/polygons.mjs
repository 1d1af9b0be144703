// How long an exported page takes to count in polygons that are drawn by clicks, one after the other, as JSON:
// the milliseconds of each from the last click to the count on the page, and those that the page says its
// worker took. Corners are in pixels from the middle of the map.
//
//   node polygons.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER POLYGONS
import { folder, launched, opened, settled } from "./browser.mjs";

const browser = await launched();
const { page } = await opened(browser, { viewport: { width: 1440, height: 900 }, coarse: true }, "#view=[-1.5,52.5,7]");
await settled(page);
const picture = Number(await page.evaluate(() => document.body.dataset.picture));
const map = await page.locator("#map").boundingBox();
const times = [];
const worker = [];
for (const corners of JSON.parse(process.argv[5])) {
  await page.locator("#draw-polygon").click();
  const places = corners.map(([x, y]) => [map.x + map.width / 2 + x, map.y + map.height / 2 + y]);
  for (const [x, y] of places) await page.mouse.click(x, y, { delay: 30 });
  await settled(page);
  const shown = page.evaluate(() => new Promise((done) => {
    let start;
    addEventListener("pointerup", () => (start = performance.now()), { capture: true, once: true });
    const answer = document.getElementById("answer");
    new MutationObserver((_, watch) => {
      if (!answer.dataset.estimate) return;
      watch.disconnect();
      done(performance.now() - start);
    }).observe(answer, { attributes: true });
  }));
  await page.mouse.click(...places[0], { delay: 30 });
  times.push(await shown);
  worker.push(Number(/([\d.]+) ms/.exec(await page.locator("#answer").textContent())[1]));
  await settled(page);
}
await page.screenshot({ path: `${folder}/exported-polygons.png` });
await browser.close();
console.log(JSON.stringify({ times, worker, picture }));
