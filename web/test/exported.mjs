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

// Tiles as their colours, row by row: what a picture has of each. A single file has the worker, the
// manifest and the sketches inside.
const answers = await page.evaluate(async (questions) => {
  const inside = async (name) => {
    const packed = document.querySelector(`script[data-file="${name}"]`);
    if (!packed) return undefined;
    const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  };
  const script = await inside("assets/answers.js");
  const worker = new Worker(script ? URL.createObjectURL(new Blob([await script.arrayBuffer()], { type: "text/javascript" })) : "assets/answers.js");
  const waiting = new Map();
  worker.onmessage = ({ data }) => waiting.get(data.id)(data);
  const manifest = await (await inside("manifest.json"))?.json();
  worker.postMessage({ files: manifest ? { manifest, sketches: await (await inside(manifest.sketches)).arrayBuffer() } : { url: new URL("manifest.json", location.href).href } });
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
