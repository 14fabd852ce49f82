// Our side: the Go program of this folder.
"use strict";
importScripts("wasm_exec.js");

let cycles;
let next = []; // what is asked before the program listens
self.listen = (f) => { cycles = f; for (const o of next) f(o.home, o.cycles); next = []; };
self.answer = (ms, said) => postMessage({ ms, said });
self.onmessage = ({ data }) => (cycles ? cycles(data.home, data.cycles) : next.push(data));

const go = new Go();
WebAssembly.instantiateStreaming(fetch("cycle.wasm"), go.importObject).then(({ instance }) => go.run(instance));
