"use strict";
// Both sides run in workers of their own, one at a time.
const workers = { ours: ["ours.js", {}], official: ["official.mjs", { type: "module" }] };

const answer = (worker) => new Promise((resolve, reject) => {
  worker.onerror = (e) => reject(new Error(e.message));
  worker.onmessage = ({ data: { ms, said } }) => (ms < 0 ? reject(new Error(said)) : resolve({ ms, said }));
});

async function round(side, home, cycles) {
  if (Array.isArray(workers[side])) {
    const worker = new Worker(...workers[side]);
    workers[side] = worker;
    if (side === "official") await answer(worker); // a module's worker hears nothing before it is up
  }
  workers[side].postMessage({ home, cycles });
  return answer(workers[side]);
}
