// student-worker.js runs a student's program beside the engine's program, in a worker that has no address of
// its own: a sandboxed frame makes it from texts, and nothing outside is reachable from it (see frame.js).
// The first message brings a port on which what it needs comes, the further ones are requests of lab/ask.
"use strict";

// Requests may come before the program runs; it takes them over, and those after them.
const early = [];
let hear = (text) => early.push(text);
self.listen = (on) => {
  hear = on;
  for (const text of early.splice(0)) hear(text);
};

self.onmessage = ({ ports: [port] }) => {
  self.onmessage = (event) => hear(event.data);
  port.onmessage = ({ data: first }) => {
    port.close();
    start(first).catch((err) => self.postMessage(JSON.stringify({ ended: String(err) })));
  };
};

// unpacked is what is in a file that may be packed with gzip.
async function unpacked(bytes) {
  const [one, two] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (one !== 0x1f || two !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start({ language, engine, files }) {
  const compiled = unpacked(engine).then((bytes) => WebAssembly.compile(bytes));
  for (const name of Object.keys(files)) files[name] = await unpacked(files[name]);
  const interpreter = language === "python" ? await python(files) : await quickjs(files);
  self.student = { language, do: (bytes) => laid(interpreter(taken(bytes)))[0] };
  const go = new Go();
  const instance = await WebAssembly.instantiate(await compiled, go.importObject);
  program = instance.exports;
  await go.run(instance);
  throw new Error("the engine's program has ended");
}

// Texts change hands with the engine's program in a part of its memory: see cmd/wasm/engine/desk.go.
let program = null; // what it exports
let at = 0, seen = new Uint8Array(0); // where that part is, and a view of it
const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// desk is a view of that part, in which there is room for that many bytes. What lay there may be gone.
function desk(bytes) {
  const room = Math.max(bytes, seen.length);
  if (bytes > seen.length) at = program.deskRoom(bytes);
  if (seen.buffer !== program.mem.buffer || seen.byteOffset !== at || seen.length < room) seen = new Uint8Array(program.mem.buffer, at, room);
  return seen;
}

// laid lays texts down one behind the other, and returns how many bytes each has.
function laid(...texts) {
  const longest = 3 * texts.reduce((n, text) => n + text.length, 0);
  if (longest > 1 << 20) { // an exact room for long ones
    texts = texts.map((text) => encoder.encode(text));
    const on = desk(texts.reduce((n, bytes) => n + bytes.length, 0));
    let from = 0;
    return texts.map((bytes) => (on.set(bytes, from), (from += bytes.length), bytes.length));
  }
  let on = desk(longest);
  return texts.map((text) => {
    const { written } = encoder.encodeInto(text, on);
    on = on.subarray(written);
    return written;
  });
}

const taken = (bytes) => decoder.decode(desk(bytes).subarray(0, bytes));

// What a student's program may call: package student's Host.
const host = {
  execute: (life, sql, params) => taken(program.deskExecute(life, ...laid(sql, params))),
  clock: (life) => program.deskClock(life),
  send: (life, job) => taken(program.deskSend(life, ...laid(job))),
};

const text = (bytes) => new TextDecoder().decode(bytes);

// python starts CPython. It may use 160 MiB, then it raises a MemoryError like everywhere: 2 ** attempt with a
// huge attempt, a common first try, ends after some tenths of a second and not after some seconds.
async function python(files) {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) { // Python's; Go's program grows its own by itself
    if (this.buffer.byteLength + pages * 65536 > 160 << 20) throw new RangeError("out of memory");
    return grow.call(this, pages);
  };
  // Pyodide fetches its files; here they have come with the first message.
  self.fetch = async (url) => {
    const name = String(url).split("/").pop();
    if (!files[name]) throw new TypeError(`there is no file ${name}`);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "content-type": type } });
  };
  const module = URL.createObjectURL(new Blob([files["pyodide.asm.mjs"]], { type: "text/javascript" }));
  const { default: createPyodideModule } = await import(module);
  URL.revokeObjectURL(module);
  const pyodide = await loadPyodide({
    indexURL: "https://files.invalid/", // nobody asks for it: see fetch above
    createPyodideModule,
    lockFileContents: text(files["pyodide-lock.json"]),
    jsglobals: Object.create(null), // import js finds nothing
  });
  pyodide.unregisterJsModule("pyodide_js");
  // The lab's side has built-in names of its own, whatever a program does to those of its own.
  const globals = pyodide.runPython("import builtins; {'__builtins__': dict(vars(builtins)), '__name__': 'lab'}");
  const setup = pyodide.runPython(text(files["student-python.py"]), { filename: "lab.py", globals });
  const doCall = setup(
    (life, sql, params) => host.execute(life, sql, params),
    (life) => host.clock(life),
    (life, job) => host.send(life, job),
  );
  return (call) => doCall(call);
}

// quickjs starts QuickJS, in which a student's program has 64 MiB and a stack of 128 KiB.
async function quickjs(files) {
  const runtime = (await QuickJS.load(files["quickjs.wasm"])).newRuntime();
  runtime.setMemoryLimit(64 << 20);
  runtime.setMaxStackSize(128 << 10);
  const lab = text(files["student-javascript.js"]);
  let source = null; // the student's program
  let now = null; // the world that new lives come into
  const worlds = new Map(); // of each life

  function call(world, name, ...args) {
    const { context, functions } = world;
    const handles = args.map((a) => context.newString(a));
    const result = context.callFunction(functions[name], context.undefined, ...handles);
    for (const h of handles) h.dispose();
    if (result.error) {
      // The glue raises nothing itself: memory or the stack has run out.
      const raised = context.dump(result.error);
      result.error.dispose();
      return failed(raised);
    }
    const got = context.getString(result.value);
    result.value.dispose();
    return got;
  }

  function failed(raised) {
    const type = raised?.name ?? "InternalError";
    const message = raised?.message ?? "out of memory";
    const line = Number(/queue\.js:(\d+)/.exec(raised?.stack ?? "")?.[1] ?? 0);
    return JSON.stringify({ ok: null, raised: { type, is: "other", message, line, trace: "" } });
  }

  // world makes a new world of globals with the student's program in it; what does not work is told.
  function world() {
    const context = runtime.newContext();
    const one = { context, functions: {}, lives: 0 };
    const function_ = (name, f) => context.newFunction(name, f);
    const hosts = [
      function_("execute", (life, sql, params) => context.newString(host.execute(context.getNumber(life), context.getString(sql), context.getString(params)))),
      function_("clock", (life) => context.newNumber(host.clock(context.getNumber(life)))),
      function_("send", (life, job) => context.newString(host.send(context.getNumber(life), context.getString(job)))),
    ];
    const setup = context.unwrapResult(context.evalCode(lab, "lab.js"));
    const functions = context.unwrapResult(context.callFunction(setup, context.undefined, ...hosts));
    for (const name of ["load", "told", "do"]) one.functions[name] = context.getProp(functions, name);
    for (const h of [setup, functions, ...hosts]) h.dispose();
    // The program becomes a function that makes its names, so that each life has its own. It stays on its lines.
    const program = context.evalCode(`(function () { ${source}\n; return { retryDelay: typeof retryDelay === "undefined" ? undefined : retryDelay, Queue: typeof Queue === "undefined" ? undefined : Queue }; })`, "queue.js");
    if (program.error) {
      // What was not closed ends in our words behind the program: by itself it tells of its own end.
      const alone = context.evalCode(source, "queue.js", { type: "global", compileOnly: true });
      const fault = alone.error ?? program.error;
      const result = context.callFunction(one.functions.told, context.undefined, fault);
      (alone.error ?? alone.value).dispose();
      program.error.dispose();
      one.fault = result.error ? failed(context.dump(result.error)) : context.getString(result.value);
      (result.error ?? result.value).dispose();
    } else {
      context.unwrapResult(context.callFunction(one.functions.load, context.undefined, program.value)).dispose();
      program.value.dispose();
    }
    return one;
  }

  function drop(one) {
    if (one && one !== now && one.lives === 0) {
      for (const f of Object.values(one.functions)) f.dispose();
      one.context.dispose();
    }
  }

  function enter() {
    const old = now;
    now = world();
    drop(old);
  }

  return function (request) {
    const { do: what, life, fresh, gone, source: given } = JSON.parse(request);
    if (what === "load") {
      source = given ?? "";
      worlds.clear();
      enter();
      return now.fault ?? JSON.stringify({ ok: null });
    }
    for (const number of gone ?? []) {
      const one = worlds.get(number);
      worlds.delete(number);
      if (one) {
        one.lives--;
        drop(one);
      }
    }
    if (what === "live") {
      if (fresh) enter();
      worlds.set(life, now);
      now.lives++;
    }
    return call(worlds.get(life), "do", request);
  };
}
