// An exported page: what its worker answers to questions, and what a person sees, as JSON.
//
//   node exported.mjs URL FOLDER-FOR-SCREENSHOTS BROWSER QUESTIONS
import { desk, folder, launched, opened, settled } from "./browser.mjs";

const questions = JSON.parse(process.argv[5]);
const browser = await launched();
const { page, seen } = await opened(browser, { viewport: desk, colorScheme: "light", coarse: true });
await settled(page);
const picture = Number(await page.evaluate(() => document.body.dataset.picture));
await page.screenshot({ path: `${folder}/exported.png` });

// Tiles as their colours, row by row: what a picture has of each. A single file has no worker beside it.
const answers = questions.length && await page.evaluate(async (questions) => {
  const worker = new Worker("assets/answers.js");
  const waiting = new Map();
  worker.onmessage = ({ data }) => waiting.get(data.id)(data);
  worker.postMessage({ files: { url: new URL("manifest.json", location.href).href } });
  const pixels = (image) => {
    const canvas = new OffscreenCanvas(image.width, image.height);
    const g = canvas.getContext("2d");
    g.drawImage(image, 0, 0);
    return btoa(Array.from(g.getImageData(0, 0, image.width, image.height).data, (v) => String.fromCharCode(v)).join(""));
  };
  return Promise.all(questions.map(({ name, args }, id) => new Promise((done) => {
    waiting.set(id, ({ answer, error }) => done(error ? { error } : answer instanceof ImageBitmap ? { pixels: pixels(answer) } : answer));
    worker.postMessage({ id, name, args });
  })));
}, questions);

await page.locator("#box").fill("-3, 51, 0, 54");
await page.keyboard.press("Enter");
await page.locator("#answer[data-estimate]").waitFor();
await settled(page);
const estimate = Number(await page.locator("#answer").getAttribute("data-estimate"));
const bars = await page.locator("#bars button").evaluateAll((all) => all.map((b) => Number(b.dataset.estimate)));
const sql = await page.locator("#answer details").count();
await page.screenshot({ path: `${folder}/exported-box.png` });
await browser.close();
console.log(JSON.stringify({ answers, estimate, bars, sql, picture, problems: seen.problems }));
