// How long an exported page takes to answer polygons that are drawn one after the other, as JSON: the
// milliseconds of each from the last corner to the count on the page, while the map moves there, and
// those that the page says its worker took.
//
//   node polygons.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER POLYGONS-AS-WKT
import { desk, folder, launched, opened, settled } from "./browser.mjs";

const browser = await launched();
const { page } = await opened(browser, { viewport: desk, coarse: true });
await settled(page);
const picture = Number(await page.evaluate(() => document.body.dataset.picture));
const times = [];
const worker = [];
for (const polygon of JSON.parse(process.argv[5])) {
  times.push(await page.evaluate(async (polygon) => {
    const [answer, box] = ["answer", "box"].map((id) => document.getElementById(id));
    box.value = polygon;
    const start = performance.now();
    document.getElementById("box-form").requestSubmit();
    const shown = () => new Promise((done) => {
      const watch = new MutationObserver(() => answer.dataset.estimate && (watch.disconnect(), done()));
      watch.observe(answer, { attributes: true, childList: true });
    });
    await shown();
    return performance.now() - start;
  }, polygon));
  worker.push(Number(/([\d.]+) ms/.exec(await page.locator("#answer").textContent())[1]));
  await settled(page);
}
await page.screenshot({ path: `${folder}/exported-polygons.png` });
await browser.close();
console.log(JSON.stringify({ times, worker, picture }));
