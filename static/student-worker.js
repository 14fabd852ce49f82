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

// unpacked is what is in a file that comes in pieces and may be packed with gzip.
async function unpacked(pieces) {
  const file = new Blob(pieces);
  const [one, two] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (one !== 0x1f || two !== 0x8b) return file.arrayBuffer();
  return new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start({ language, engine, files }) {
  const compiled = unpacked(engine).then((bytes) => WebAssembly.compile(bytes));
  for (const name of Object.keys(files)) files[name] = await unpacked(files[name]);
  const interpreter = language === "python" ? await python(files) : await quickjs(files);
  self.student = {
    language,
    do(bytes) {
      let answer;
      try {
        answer = interpreter(taken(bytes));
      } catch (err) { // the interpreter itself has come to its end
        answer = JSON.stringify({ ended: refusals > 0 ? "out of memory" : String(err) });
      }
      return laid(answer)[0];
    },
  };
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

let refusals = 0; // how often the program that is loaded was refused more memory

// limitMemory has an interpreter's memory end where most says, in bytes: behind that it is told that there is none, and
// so is refused. Go's program grows its own by itself.
function limitMemory(most, refused = () => {}) {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65536 > most()) {
      refused();
      throw new RangeError("out of memory");
    }
    return grow.call(this, pages);
  };
}

// python starts CPython. It may use 160 MiB, then it raises a MemoryError like everywhere: 2 ** attempt with a
// huge attempt, a common first try, ends after some tenths of a second and not after some seconds.
async function python(files) {
  limitMemory(() => 160 << 20, () => refusals++);
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
    () => pyodide._module.HEAP8.length,
  );
  return (call) => doCall(call);
}

// quickjs starts QuickJS, in which a student's program has 64 MiB and a stack of 128 KiB. What the lab itself puts
// there has a little more, so that it finds room beside a program that has filled its own. Who was refused memory may be
// left in any state: the next program gets another QuickJS.
async function quickjs(files) {
  const wasm = await WebAssembly.compile(files["quickjs.wasm"]);
  const script = text(files["student-javascript.js"]);
  const inside = { program: false };
  let next = null;
  limitMemory(() => (inside.program ? 64 : 96) << 20, () => {
    if (refusals++ === 0) QuickJS.load(wasm).then((another) => (next = another));
  });
  let perform = javascript(await QuickJS.load(wasm), script, inside);
  return (text) => {
    const request = JSON.parse(text);
    if (request.do === "load") {
      if (next) perform = javascript(next, script, inside);
      next = null;
      refusals = 0;
    }
    inside.program = false;
    return perform(request, text);
  };
}

// javascript has a QuickJS do calls; inside.program says whether the student's program is at work, or the lab.
function javascript(engine, script, inside) {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(64 << 20); // of one request: compiled to WebAssembly, QuickJS does not see what its memory holds
  runtime.setMaxStackSize(128 << 10);

  // The lab's side has a context of its own.
  const lab = runtime.newContext();
  const functions = {};
  {
    const function_ = (name, f) => lab.newFunction(name, (...args) => {
      inside.program = false;
      try {
        return f(...args);
      } finally {
        inside.program = true;
      }
    });
    const hosts = [
      function_("execute", (life, sql, params) => lab.newString(host.execute(lab.getNumber(life), lab.getString(sql), lab.getString(params)))),
      function_("clock", (life) => lab.newNumber(host.clock(lab.getNumber(life)))),
      function_("send", (life, job) => lab.newString(host.send(lab.getNumber(life), lab.getString(job)))),
    ];
    const setup = lab.unwrapResult(lab.evalCode(script, "lab.js"));
    const made = lab.unwrapResult(lab.callFunction(setup, lab.undefined, ...hosts));
    for (const name of ["prepare", "print", "leave", "collect", "enter", "told", "do"]) functions[name] = lab.getProp(made, name);
    for (const h of [setup, made, ...hosts]) h.dispose();
  }
  const prepare = lab.getString(functions.prepare);

  let source = null; // the student's program
  let now = null; // the world that new lives come into
  const worlds = new Map(); // of each life

  // call calls a function of the lab's side that returns a text.
  function call(name, ...handles) {
    inside.program = true;
    const result = lab.callFunction(functions[name], lab.undefined, ...handles);
    inside.program = false;
    if (result.error) {
      // The lab's side raises nothing itself: memory or the stack has run out.
      const raised = lab.dump(result.error);
      result.error.dispose();
      return failed(raised);
    }
    const got = lab.getString(result.value);
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
    const one = { context: runtime.newContext(), lives: 0, fault: null };
    const { context } = one;
    const handles = [];
    const kept = (result) => {
      if (result.error) throw context.dump(result.error); // no memory is left
      handles.push(result.value);
      return result.value;
    };
    try {
      const own = kept(context.callFunction(kept(context.evalCode(prepare, "lab.js")), context.undefined, functions.print));
      // The program becomes a function that makes its names, so that each life has its own. It stays on its lines.
      const program = context.evalCode(`(function () { ${source}\n; return { retryDelay: typeof retryDelay === "undefined" ? undefined : retryDelay, Queue: typeof Queue === "undefined" ? undefined : Queue }; })`, "queue.js");
      kept(lab.callFunction(functions.enter, lab.undefined, own, program.value ?? context.undefined));
      if (program.error) {
        // What was not closed ends in our words behind the program: by itself it tells of its own end.
        const alone = context.evalCode(source, "queue.js", { type: "global", compileOnly: true });
        handles.push(program.error, alone.error ?? alone.value);
        one.fault = call("told", alone.error ?? program.error);
      } else {
        handles.push(program.value);
      }
    } catch (raised) {
      if (raised instanceof WebAssembly.RuntimeError) throw raised;
      one.fault = failed(raised);
    }
    for (const h of handles) h.dispose();
    return one;
  }

  // QuickJS throws away what only holds itself when it has made some ten thousand new things, however large they
  // are. A program that keeps megabytes would leave them to the next process.
  const muchMemory = 32 << 20;

  // enter makes the world that new lives come into, when those before have ended.
  function enter() {
    const old = now;
    now = null;
    if (old) drop(old);
    if (engine.getWasmMemory().buffer.byteLength > muchMemory) call("collect");
    now = world();
  }

  function drop(one) {
    if (one !== now && one.lives === 0) one.context.dispose();
  }

  return (request, text) => {
    const { do: what, life, fresh, gone, source: given } = request;
    if (what === "load") {
      source = given ?? "";
      for (const one of worlds.values()) one.lives = 0;
      const others = new Set(worlds.values());
      others.delete(now);
      worlds.clear();
      others.forEach(drop);
      if (now) now.lives = 0;
      call("leave");
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
    const handle = lab.newString(text);
    if (what === "live") {
      if (fresh) {
        call("leave", handle);
        enter();
      }
      if (now.fault) {
        handle.dispose();
        return now.fault;
      }
      worlds.set(life, now);
      now.lives++;
    }
    const answer = call("do", handle);
    handle.dispose();
    return answer;
  };
}
