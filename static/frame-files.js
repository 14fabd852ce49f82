// frame-files.js fetches what a student's interpreter is made of, for frame.js, beside the page's thread: there,
// the megabytes would take their turns from a person who types.
//
// The first message brings {language, assets, root}, the addresses, and the port to the student's worker. The page
// hears {bytes} while files arrive, {keep}, a folder that is to be kept for offline, {scripts} when the frame
// can be made, and {failed}. The files go to the worker alone.
"use strict";
importScripts("program.js");

self.onmessage = ({ data: { language, assets, root }, ports: [port] }) => {
  fetchFiles(language, assets, root, port).catch((err) => self.postMessage({ failed: String(err) }));
};

async function fetchFiles(language, assets, root, port) {
  let arrived = 0, told = 0;
  const seen = {};
  const on = (name) => (bytes) => {
    arrived += bytes - (seen[name] ?? 0);
    seen[name] = bytes;
    if (performance.now() - told < 100) return; // the page draws what it hears
    told = performance.now();
    self.postMessage({ bytes: arrived });
  };
  const get = async (url) => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
    return response;
  };
  const text = async (name) => (await get(assets + name)).text();
  // Files stay packed, and in the pieces in which they come.
  const pieces = async (url, name) => {
    const reader = (await get(url)).body.getReader();
    const tell = on(name);
    const all = [];
    for (let n = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return all;
      all.push(value);
      tell(n += value.length);
    }
  };
  const asset = (name) => pieces(assets + name, name);

  const scripts = [];
  const wanted = {};
  if (language === "python") {
    const { folder, files } = JSON.parse(await text("python.json"));
    self.postMessage({ keep: folder });
    // Pyodide tries to import a script to learn whether it may; the frame's policy would log that as an offence.
    scripts.push("self.importScripts = () => { throw new Error('there is nothing to import'); };");
    for (const { name, file } of files) {
      const url = root + folder + file;
      if (name === "pyodide.js") scripts.push(fetchUnpacked(url, on(name)).then((stream) => new Response(stream).text()));
      else wanted[name] = pieces(url, name);
    }
    wanted["student-python.py"] = asset("student-python.py");
  } else {
    scripts.push(text("quickjs.js"));
    wanted["quickjs.wasm"] = asset("quickjs.wasm.gz");
    wanted["student-javascript.js"] = asset("student-javascript.js");
  }
  scripts.push(text("wasm_exec.js"), text("student-worker.js"));
  const [inside, engine, texts, files] = await Promise.all([
    text("frame-inside.js"),
    asset("engine.wasm.gz"),
    Promise.all(scripts),
    Promise.all(Object.entries(wanted).map(async ([name, file]) => [name, await file])).then(Object.fromEntries),
  ]);
  const buffers = new Set([engine, ...Object.values(files)].flat().map((piece) => piece.buffer));
  port.postMessage({ language, engine, files }, [...buffers]);
  self.postMessage({ inside, scripts: texts.map((s) => s + "\n;") });
}
