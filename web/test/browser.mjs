// What the tests in Chromium share: a page that reports what it complains of, and waiting
// until it has all answers and pixels.
import { chromium } from "playwright-core";

export const [url, folder, executablePath] = process.argv.slice(2);

export const launched = () =>
  chromium.launch({ executablePath, args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });

// opened is a page of the map in a new context.
export async function opened(browser, options, hash = "") {
  // Without animations, whose every frame is drawn by the processor.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  // On a busy machine everything takes long: what ends a test that hangs is the
  // time limit of go test.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const seen = { problems: [], tiles: [] };
  page.on("pageerror", (e) => seen.problems.push(String(e)));
  page.on("console", (m) => m.type() === "error" && seen.problems.push(m.text()));
  page.on("request", (r) => {
    if (!/^(data|blob):/.test(r.url()) && !r.url().startsWith(url)) seen.problems.push("asked " + r.url());
  });
  page.on("response", (r) => r.url().includes("/tiles/") && seen.tiles.push(r.status()));
  await page.goto(url + hash);
  await page.locator("body[data-ready=true]").waitFor();
  return { context, page, seen };
}

// settled waits until nothing is asked and nothing drawn any more.
export async function settled(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => document.body.dataset.asking === "0");
  await page.waitForLoadState("networkidle");
  await page.locator("body[data-idle=true]").waitFor();
}
