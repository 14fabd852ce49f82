// frame.js runs a student's program where it reaches nothing: in a worker of a sandboxed frame that has an
// origin of its own, no network, no storage, and no way to the page but texts. Removing the frame ends
// whatever it does at once.
//
// A StudentFrame is used like a Worker: postMessage, onmessage, onerror, terminate. It says {bytes} while
// files arrive and {ended} when it is no longer there, as engine.js does.
"use strict";

// A reply of the lab has some kilobytes, a run some hundred replies. More comes only from a program that has
// broken out of its interpreter, and reading it would keep the page.
const mostMessages = 1000;
const longestMessage = 256 << 10;

// What the frame may do: run scripts that it is given as texts, and WebAssembly. The page's policy holds in
// it as well, and of the scripts in a page allows frame-inside.js alone.
const framePolicy = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:";

class StudentFrame {
  #frame;
  #port;
  #ended = false;
  #waiting = [];

  // assets is the address of the folder of assets, root that of the site; both may be relative to base.
  constructor(assets, root, language, base) {
    this.onmessage = this.onerror = null;
    this.#start(new URL(assets, base), new URL(root, base), language).catch((err) => {
      if (!this.#ended) this.onerror?.({ currentTarget: this, message: String(err) });
    });
  }

  async #start(base, root, language) {
    let arrived = 0;
    const seen = {};
    const on = (name) => (bytes) => {
      arrived += bytes - (seen[name] ?? 0);
      seen[name] = bytes;
      this.#tell(JSON.stringify({ bytes: arrived }));
    };
    const get = async (url) => {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
      return response;
    };
    const text = async (name) => (await get(new URL(name, base))).text();
    // Files stay packed: the worker unpacks them, beside the page's thread.
    const bytes = async (url, name) => {
      const response = await get(url);
      const tell = on(name);
      let n = 0;
      const count = new TransformStream({ transform(chunk, to) { tell(n += chunk.length); to.enqueue(chunk); } });
      return new Response(response.body.pipeThrough(count)).arrayBuffer();
    };
    const asset = (name) => bytes(new URL(name, base), name);

    const scripts = [];
    const wanted = {};
    if (language === "python") {
      const { folder, files } = JSON.parse(await text("python.json"));
      // Pyodide tries to import a script to learn whether it may; the frame's policy would log that as an offence.
      scripts.push("self.importScripts = () => { throw new Error('there is nothing to import'); };");
      // At the first visit the service worker comes after the page: it is told what to keep when it is there.
      navigator.serviceWorker?.ready.then((registration) => registration.active.postMessage({ keep: folder }));
      for (const { name, file } of files) {
        const url = new URL(folder + file, root);
        if (name === "pyodide.js") scripts.push(fetchUnpacked(url, on(name)).then((stream) => new Response(stream).text()));
        else wanted[name] = bytes(url, name);
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
    if (this.#ended) return;
    await this.#open(inside);
    const channel = new MessageChannel();
    // The files go straight to the worker: in the frame, which shares the page's thread, reading them would take a second.
    const bulk = new MessageChannel();
    this.#port = channel.port1;
    this.#port.onmessage = ({ data }) => {
      bulk.port1.close(); // the worker has read them; nothing comes back this way
      this.#tell(data);
    };
    this.#frame.contentWindow.postMessage({ scripts: texts.map((s) => s + "\n;"), most: mostMessages, longest: longestMessage }, "*", [channel.port2, bulk.port2]);
    bulk.port1.postMessage({ language, engine, files }, [engine, ...Object.values(files)]);
    for (const message of this.#waiting.splice(0)) this.#port.postMessage(message);
  }

  // open makes the frame and waits until its script is up.
  #open(inside) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.hidden = true;
    frame.title = "";
    frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${framePolicy}"><script>${inside}</script>`;
    this.#frame = frame;
    const up = new Promise((resolve) => {
      const on = (event) => {
        if (event.source !== frame.contentWindow || event.data !== "up") return;
        removeEventListener("message", on);
        resolve();
      };
      addEventListener("message", on);
    });
    document.body.append(frame);
    return up;
  }

  #tell(data) {
    if (!this.#ended && typeof data === "string") this.onmessage?.({ currentTarget: this, data });
  }

  postMessage(message) {
    if (this.#port) this.#port.postMessage(message);
    else this.#waiting.push(message);
  }

  terminate() {
    this.#ended = true;
    this.#port?.close();
    this.#frame?.remove();
  }
}
self.StudentFrame = StudentFrame;
