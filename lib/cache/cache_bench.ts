/** What a cache hit adds to a call: at most half a millisecond (spec 07 §5). */

import { systemClock } from "../clock/mod.ts";
import { createResponseCache } from "./mod.ts";

const directory = await Deno.makeTempDir({ prefix: "gum-cache-bench-" });
const entry = {
  body: new Uint8Array(20_000).fill(48),
  opId: "x.y",
  variantId: "v",
  service: "s",
  fingerprint: "f",
};
const hot = createResponseCache({ clock: systemClock, directory });
const cold = createResponseCache({ clock: systemClock, directory, hot: { entries: 0 } });
for (let index = 0; index < 1_000; index++) await hot.put(`k${index}`, entry);

let index = 0;
Deno.bench("cache hit in memory, 20 KB", { group: "hit" }, async () => {
  await hot.get("k999");
});
Deno.bench("cache hit in the file, 20 KB", { group: "hit" }, async () => {
  await cold.get(`k${index++ % 1_000}`);
});
Deno.bench("cache miss", { group: "hit" }, async () => {
  await hot.get("none");
});
Deno.bench("cache put, 20 KB, at the entry cap", async () => {
  await hot.put(`n${index++}`, entry);
});

addEventListener("unload", () => {
  hot.close();
  cold.close();
  Deno.removeSync(directory, { recursive: true });
});
