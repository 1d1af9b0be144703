// Reads what the page says when a server ends, a table is dropped, or there is nothing to show,
// and prints it, as JSON, for the test that started it to check.
//
//   node ends.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER URL-WITHOUT-SKETCHES
import { desk, folder, launched, opened, settled, url } from "./browser.mjs";

const browser = await launched();
const read = {};
const control = (what) => fetch(`${url}/test/${what}`);

// said is a text, and whether a person sees it in the window: at once, or some frames later, when
// what changes with it has its place.
const said = (page, selector) => page.locator(selector).first().evaluate(async (e) => {
  const look = () => {
    const { left, top, right, bottom } = e.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return { text: e.textContent, seen: right > left && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && e.contains(on) };
  };
  for (let frames = 0; frames < 100 && !look().seen; frames++) await new Promise(requestAnimationFrame);
  return look();
});

const { context, page } = await opened(browser, { coarse: true, viewport: desk }, "#layer=crimes.sketch&view=[-1.5,52.5,7]");
await settled(page);
const view = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("view"));

read.before = await view();
await control("stop");
const from = performance.now();
await page.locator("body[data-dead=true]").waitFor();
read.noticed = performance.now() - from;
read.dead = await said(page, "#waiting");
read.during = await view();
await page.screenshot({ path: `${folder}/ends-dead.png` });
await control("start");
await page.locator("body[data-dead=false]").waitFor();
await settled(page);
read.back = await said(page, "#waiting");
read.after = await view();

await page.locator("#box").fill("-3, 100, 1, 110");
await page.keyboard.press("Enter");
await page.locator("#error:not([hidden])").waitFor();
read.outside = await said(page, "#error");
await page.locator("#box").fill("-3, 51, 1, 53");
await page.keyboard.press("Enter");
await page.locator("#answer[data-estimate]").waitFor();
read.answer = await page.locator("#answer").textContent();
await page.locator("#clear").click();
await settled(page);
read.field = await page.locator("#box").inputValue();
read.cleared = await page.locator("#answer").textContent();

await page.locator("#layer").selectOption({ label: "none.s" });
await page.locator("#reason:not([hidden])").waitFor();
read.none = await said(page, "#reason");
await page.locator("#layer").selectOption({ label: "crimes.sketch" });
await settled(page);
await control("drop");
await page.locator("#reason", { hasText: "any more" }).waitFor();
read.gone = await said(page, "#reason");
await page.screenshot({ path: `${folder}/ends-dropped.png` });
await context.close();

const without = await browser.newPage({ viewport: desk });
without.setDefaultTimeout(0);
await without.goto(process.argv[5]);
await without.locator("#build button").waitFor();
read.bare = await said(without, "#reason");
read.offer = await said(without, "#build button");
await without.screenshot({ path: `${folder}/ends-without.png` });
await without.close();

// Time to the first picture below and above zoom 6, in turns; outlines are asked for after it.
[read.first, read.early] = [{ 5: [], 8: [] }, []];
for (let i = 0; i < 3; i++) {
  for (const zoom of [5, 8]) {
    const first = await browser.newPage({ viewport: desk, reducedMotion: "reduce" });
    first.setDefaultTimeout(0);
    let tiles = 0;
    first.on("response", (r) => r.url().includes("/tiles/") && tiles++);
    first.on("request", (r) => /assets\/(countries|water|places)/.test(r.url()) && !tiles && read.early.push(r.url()));
    await first.goto(`${url}/#layer=kinds.s&view=[-1.5,52.5,${zoom}]`);
    await first.locator("body[data-picture]").waitFor();
    read.first[zoom].push(Math.round(Number(await first.evaluate(() => document.body.dataset.picture))));
    await first.close();
  }
}
await browser.close();
console.log(JSON.stringify(read));
