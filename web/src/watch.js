// Watches the server: whether it answers, and whether it has new rows.
import * as api from "./api.js";
import { app } from "./app.js";
import { element } from "./text.js";

const every = 2000; // milliseconds between two requests for the version

// watching calls renew when the data have changed or the server is back.
export function watching(renew) {
  let [dead, asked] = [false, false];
  const look = async () => {
    if (asked || (document.hidden && !dead)) return;
    asked = true;
    try {
      const { version, waiting } = await api.version(AbortSignal.timeout(30_000));
      element("waiting").textContent = waiting ?? "";
      if (!dead && version === app.version) return;
      await renew(version);
      dead = false;
      document.body.dataset.version = version;
    } catch {
      dead = true;
      element("waiting").textContent = "The server does not answer. The map stays as it is until the server is back.";
    } finally {
      asked = false;
      document.body.dataset.dead = dead;
    }
  };
  api.whenUnreached(look);
  setInterval(look, every);
}
