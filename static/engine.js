// engine.js starts the engine's program in a dedicated worker. Texts go both ways: requests and
// replies of lab/ask, and from here also {bytes}, how much of the program has arrived, {ended}, why it is
// no longer there, and {alive}. The compiled program goes to the page as an object, {module}: a page
// that starts the engine again, at engine.js?again, gives it back as the first message, which saves
// the loading and the compiling.
"use strict";
importScripts("wasm_exec.js", "program.js");

// Requests may come before the program runs; it takes them over, and those after them.
const early = [];
const again = new Promise((resolve) => {
  self.onmessage = ({ data }) => {
    if (data?.module) resolve(data.module);
    else early.push(data);
  };
});
self.listen = (hear) => {
  for (const text of early.splice(0)) hear(text);
  self.onmessage = (event) => hear(event.data);
};

// A page hears nothing when the browser, or a person in its task manager, ends a worker. So the worker
// holds a lock for as long as it lives, named in its address; whoever gets the lock after {alive} knows.
const lock = decodeURIComponent(self.location.hash.slice(1));
if (lock && self.navigator.locks) {
  self.navigator.locks.request(lock, () => {
    self.postMessage(JSON.stringify({ alive: lock }));
    return new Promise(() => {});
  });
}

async function load(imports) {
  if (self.location.search === "?again") return WebAssembly.instantiate(await again, imports);
  let told = 0;
  const program = await loadProgram(new URL("engine.wasm.gz", self.location), imports, (bytes) => {
    if (performance.now() - told < 100) return;
    told = performance.now();
    self.postMessage(JSON.stringify({ bytes }));
  });
  self.postMessage({ module: program.module });
  return program.instance;
}

(async () => {
  let why = "the engine's program has ended";
  try {
    const go = new Go();
    go.env = { BASE: new URL("../../", self.location).pathname }; // the site's root, above v/HASH/
    await go.run(await load(go.importObject)); // it never ends, unless it fails
  } catch (err) {
    why = String(err);
  }
  self.postMessage(JSON.stringify({ ended: why }));
})();
