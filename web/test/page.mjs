// Uses the page as a person would, in Chromium: looks, pans, zooms, moves the
// slider, draws a polygon, by light and by dark, on a desk and on a phone, and with CCBF_LONG
// in between.
// Prints what it read, as JSON, for the test that started it to check.
//
//   node page.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER
import { devices } from "playwright-core";
import { audited, desk, folder, launched, opened, settled } from "./browser.mjs";

const browser = await launched();
const read = [];

// visits is one page by one light and then by the other: the desk turns dark, the phone
// light, so that each is what a page begins with and what it becomes.
async function visits(device, options, schemes) {
  const { context, page, seen } = await opened(browser, { ...options, colorScheme: schemes[0] });
  const unfolded = async (wanted) => {
    const is = (await page.locator("#fold").getAttribute("aria-expanded")) === "true";
    if (page.viewportSize().width < 640 && is !== wanted) await page.locator("#fold").click();
  };
  for (const [i, scheme] of schemes.entries()) {
    if (i > 0) {
      await page.emulateMedia({ colorScheme: scheme });
      await unfolded(false);
      await page.evaluate(() => (location.hash = ""));
      await page.locator("#answer:empty").waitFor({ state: "attached" });
    }
    read.push(await visit(`${device}-${scheme}`, page, seen, unfolded));
  }
  await context.close();
}

async function visit(name, page, { problems, tiles }, unfolded) {
  const look = async (state) => {
    await settled(page);
    await page.screenshot({ path: `${folder}/${name}-${state}.png` });
  };
  await look("start");

  // The part of the map that nothing covers.
  const { width, height } = page.viewportSize();
  const centre = width < 640 ? [width / 2, height * 0.3] : [width * 0.62, height * 0.45];
  const before = tiles.length;
  await page.mouse.move(...centre);
  for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -300);
  await look("zoomed");
  await page.mouse.down();
  await page.mouse.move(centre[0] - 60, centre[1] + 40, { steps: 5 });
  await page.mouse.up();
  await look("panned");
  const zoomed = tiles.length - before;

  // A later beginning of the window of time, which is no step of the history.
  const steps = await page.evaluate(() => history.length);
  const from = page.getByRole("slider", { name: "From" });
  await from.focus();
  await page.keyboard.press("ArrowRight");
  await settled(page);
  const value = await from.getAttribute("aria-valuetext");
  const time = { text: await page.locator("#time-text").textContent(), sum: Number(await page.locator("#histogram").getAttribute("data-sum")), steps: (await page.evaluate(() => history.length)) - steps };

  await unfolded(true);
  await page.getByRole("button", { name: "Polygon" }).click();
  const around = [[-70, -50], [70, -60], [80, 50], [-60, 60]].map(([x, y]) => [centre[0] + x, centre[1] + y]);
  for (const [x, y] of [...around, around[0]]) await page.mouse.click(x, y, { delay: 30 });
  const answer = page.locator("#answer[data-estimate]");
  await answer.waitFor();
  await settled(page);
  // The answer is within the window, for a person to see.
  const seen = await page.locator("#answer .figure").evaluate((e) => {
    const { left, top, right, bottom } = e.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && e.contains(on);
  });
  await page.locator("#answer summary").click();
  const estimate = Number(await answer.getAttribute("data-estimate"));
  const shown = await page.locator("#answer .figure").textContent();
  const sql = await page.locator("#answer pre").textContent();
  await look("polygon");

  // Without a mouse: a box as text, and the hottest places.
  await page.locator("#box").fill("-0.2, 51.4, 0.1, 51.6");
  await page.keyboard.press("Enter");
  await page.locator("#answer[data-estimate]").waitFor();
  const box = { estimate: Number(await answer.getAttribute("data-estimate")), sql: await page.locator("#answer pre").textContent() };
  await page.locator("#hot").click();
  await page.locator("#spots li").first().waitFor();
  const spots = await page.locator("#spots li").allTextContents();
  await look("hottest");

  const contrast = await audited(page);
  return { name, value, time, seen, contrast, estimate, shown, sql, box, spots, zoomed, failed: tiles.filter((s) => s !== 200).length, problems };
}

await visits("desktop", { viewport: desk }, ["light", "dark"]);
if (process.env.CCBF_LONG) await visits("tablet", { viewport: { width: 1024, height: 768 } }, ["light", "dark"]);
await visits("phone", { coarse: true, ...devices["Pixel 7"], viewport: { width: 390, height: 844 }, deviceScaleFactor: 1 }, ["dark", "light"]);
await browser.close();
console.log(JSON.stringify(read));
