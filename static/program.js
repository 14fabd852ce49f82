// program.js fetches a program and starts it; pages and workers use it.
"use strict";

// fetchUnpacked fetches a file that is packed with gzip, and resolves to a stream of what is in it. A host
// may have unpacked it already, so the first bytes decide. onBytes hears how many bytes have arrived.
async function fetchUnpacked(url, onBytes = () => {}) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  const reader = response.body.getReader();
  let first = new Uint8Array();
  let ended = false;
  while (first.length < 2 && !ended) {
    const { done, value } = await reader.read();
    ended = done;
    if (!value) continue;
    const longer = new Uint8Array(first.length + value.length);
    longer.set(first);
    longer.set(value, first.length);
    first = longer;
  }
  let bytes = first.length;
  onBytes(bytes);
  let stream = new ReadableStream({
    start(controller) {
      if (first.length) controller.enqueue(first);
      if (ended) controller.close();
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      bytes += value.length;
      onBytes(bytes);
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  if (first[0] === 0x1f && first[1] === 0x8b) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  return stream;
}

// loadProgram fetches a packed Go program and compiles it as it arrives.
async function loadProgram(url, imports, onBytes) {
  const program = new Response(await fetchUnpacked(url, onBytes), { headers: { "content-type": "application/wasm" } });
  return WebAssembly.instantiateStreaming(program, imports);
}
