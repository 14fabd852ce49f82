// frame-inside.js is the one script of the sandboxed frame (frame.js puts it there): it makes a worker of
// the texts it is given and carries messages, as many as an honest program sends.
"use strict";
addEventListener("message", (event) => {
  const [port, bulk] = event.ports;
  if (event.source !== parent || !bulk) return;
  const { scripts, most, longest } = event.data;
  const url = URL.createObjectURL(new Blob(scripts, { type: "text/javascript" }));
  const worker = new Worker(url);
  let left = most;
  const end = (why) => {
    worker.terminate();
    worker.onmessage = worker.onerror = null;
    port.postMessage(JSON.stringify({ ended: why }));
  };
  worker.onmessage = ({ data }) => {
    if (typeof data !== "string" || data.length > longest) return end("the program sent what is no reply");
    if (--left < 0) return end("the program sent too many messages");
    port.postMessage(data);
  };
  worker.onerror = (fault) => end(`${fault.message} (line ${fault.lineno})`);
  port.onmessage = ({ data }) => {
    left = most;
    worker.postMessage(data);
  };
  worker.postMessage(null, [bulk]);
}, { once: true });
parent.postMessage("up", "*");
