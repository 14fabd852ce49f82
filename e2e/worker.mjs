// Runs the built Worker on workerd, with D1, until standard input ends.
// usage: node worker.mjs FOLDER [BINDING=DATABASE ...] [persist=FOLDER]; it prints its address.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";

const [folder, ...options] = process.argv.slice(2);
const d1Databases = Object.fromEntries(options.map((o) => o.split("=")));
const d1Persist = d1Databases.persist ?? false;
delete d1Databases.persist;

const module = (type, path) => {
  const contents = readFileSync(join(folder, path));
  return { type, path, contents: type === "ESModule" ? contents.toString() : contents };
};
const worker = new Miniflare({
  host: "127.0.0.1", port: 0, cf: false, telemetry: { enabled: false }, compatibilityDate: "2026-04-20",
  modules: [
    module("ESModule", "worker.mjs"), module("ESModule", "wasm_exec.js"),
    module("ESModule", "runtime.mjs"), module("CompiledWasm", "app.wasm"),
  ],
  d1Databases, d1Persist,
});
console.log((await worker.ready).href);
process.stdin.on("end", async () => { await worker.dispose(); process.exit(0); }).resume();
