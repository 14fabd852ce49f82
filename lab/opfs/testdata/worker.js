// Runs a Go test program in a dedicated worker. The page sends the compiled module, the arguments
// and the environment; every line of output goes back.
"use strict";
importScripts("wasm_exec.js");

self.onmessage = async ({ data }) => {
  self.onmessage = null;
  const lines = (...parts) => postMessage({ line: parts.join(" ") });
  console.log = lines;
  console.warn = lines;
  const go = new Go();
  go.argv = ["opfs.test", ...data.args];
  go.env = data.env;
  let code = 0;
  go.exit = (c) => { code = c; };
  const instance = await WebAssembly.instantiate(data.module, go.importObject);
  await go.run(instance);
  postMessage({ exit: code });
};
