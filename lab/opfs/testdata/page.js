"use strict";
const compiled = WebAssembly.compileStreaming(fetch("opfs.test.wasm"));

// A life is one run of the test program in a worker of its own. It ends by itself, when the program
// posts the line "KILL", or when kill() is called; ended lives are terminated workers.
const lives = {};

async function begin(name, args, env) {
  const module = await compiled;
  const life = { lines: [], marks: new Map() };
  lives[name] = life;
  const worker = new Worker("worker.js");
  life.ended = new Promise((resolve) => {
    life.end = (code) => {
      worker.terminate();
      resolve({ code, lines: life.lines });
    };
  });
  life.seen = (text) => new Promise((resolve) => {
    if (life.lines.includes(text)) resolve(true);
    else life.marks.set(text, resolve);
  });
  worker.onerror = (e) => { life.lines.push("worker: " + e.message); life.end(-2); };
  worker.onmessage = ({ data }) => {
    if (data.exit !== undefined) return life.end(data.exit);
    for (const line of data.line.split("\n")) {
      life.lines.push(line);
      life.marks.get(line)?.(true);
      if (line === "KILL") life.end(-1);
    }
  };
  worker.postMessage({ module, args, env });
}
