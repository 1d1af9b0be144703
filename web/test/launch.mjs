// Starts the browser that all scripts of a test run share, prints where they reach it, and
// ends it when its input ends: when the tests have, however that came about.
//
//   node launch.mjs CHROMIUM
import { chromium } from "playwright-core";

const browser = await chromium.launchServer({
  executablePath: process.argv[2],
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing",
    // No network: only this machine's own names resolve.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"],
});
console.log(browser.wsEndpoint());
process.stdin.resume().on("end", () => browser.close());
