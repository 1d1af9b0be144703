// What the tests in Chromium share: a page that reports what it complains of, and waiting
// until it has all answers and pixels.
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

export const [url, folder, browserAt] = process.argv.slice(2);

// launched is the browser of launch.mjs, with pages of this script's own.
export const launched = () => chromium.connect(browserAt);

// A window of a desk. A processor draws here what a graphics card draws elsewhere, pixel by
// pixel: the pictures for looking at are those of CCBF_LONG=1.
export const desk = process.env.CCBF_LONG ? { width: 1440, height: 900 } : { width: 880, height: 540 };

// opened is a page of the map in a new context; coarse has the outlines of afar from near,
// too, as the fine ones take longer than the rest of a page.
export async function opened(browser, { coarse, ...options }, hash = "") {
  // Without animations, whose every frame is drawn by the processor.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  // On a busy machine everything takes long: what ends a test that hangs is the
  // time limit of go test.
  context.setDefaultTimeout(0);
  if (coarse) await context.route(/assets\/countries-(fine|middle)\.json/, (route) => route.continue({ url: url + "/assets/countries.json" }));
  const page = await context.newPage();
  await calm(page);
  const seen = watched(page, url);
  await page.goto(url + hash);
  await page.locator("body[data-ready=true]").waitFor();
  await page.locator("body[data-background=true]").waitFor();
  return { context, page, seen };
}

// calm gives a page ten frames a second: the map draws itself anew for whatever comes, and
// what comes within a frame is drawn at once.
export const calm = (page) => page.addInitScript(() => {
  const [frame, cancel] = [requestAnimationFrame, cancelAnimationFrame];
  const frames = new Map(); // what is asked for, by the timer before it
  globalThis.requestAnimationFrame = (f) => {
    const timer = setTimeout(() => frames.set(timer, frame((now) => {
      frames.delete(timer);
      f(now);
    })), 100);
    return timer;
  };
  globalThis.cancelAnimationFrame = (timer) => {
    clearTimeout(timer);
    if (frames.has(timer)) cancel(frames.get(timer));
    frames.delete(timer);
  };
});

// watched is what a page complains of, what it asks of others than its server at an address,
// and how its tiles were answered.
export function watched(page, url) {
  const seen = { problems: [], tiles: [] };
  page.on("pageerror", (e) => seen.problems.push(String(e)));
  page.on("console", (m) => m.type() === "error" && seen.problems.push(m.text()));
  page.on("request", (r) => {
    if (!/^(data|blob):/.test(r.url()) && !r.url().startsWith(url)) seen.problems.push("asked " + r.url());
  });
  page.on("response", (r) => r.url().includes("/tiles/") && seen.tiles.push(r.status()));
  return seen;
}

// audited is what axe-core finds wrong on a page, of WCAG 2.1 A and AA: contrast, names, roles.
export async function audited(page) {
  // Evaluated, for the page lets no script of others in.
  await page.evaluate(await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  const { violations } = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.failureSummary}`));
}

// settled waits until nothing is asked and nothing drawn any more.
export async function settled(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => document.body.dataset.asking === "0");
  await page.waitForLoadState("networkidle");
  await page.locator("body[data-idle=true]").waitFor();
}
