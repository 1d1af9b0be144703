// The worker of an exported page: it replaces the server ccbfsql serve. It runs one query at a time, and
// queries of the user before tiles.
import { answers } from "./answers.js";

let source;
const queue = [];
let running = false;

self.onmessage = ({ data }) => {
  if (data.files) source = answers(data.files);
  else if (data.cancel) {
    const i = queue.findIndex((q) => q.id === data.cancel);
    if (i >= 0) queue.splice(i, 1);
  } else {
    queue.push(data);
    if (!running) run();
  }
};

async function run() {
  running = true;
  while (queue.length) {
    const { id, name, args } = queue.splice(Math.max(queue.findIndex((q) => q.name !== "tile"), 0), 1)[0];
    try {
      const answer = await (await source)[name](...args);
      self.postMessage({ id, answer }, answer instanceof ImageBitmap ? [answer] : []);
    } catch (error) {
      self.postMessage({ id, error: error.message });
    }
    await new Promise((next) => setTimeout(next)); // so that messages that cancel queries arrive first
  }
  running = false;
}
