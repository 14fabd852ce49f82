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
  #files;
  #ended = false;
  #waiting = [];

  // assets is the address of the folder of assets, root that of the site; both may be relative to base.
  constructor(assets, root, language, base) {
    this.onmessage = this.onerror = null;
    const at = new URL(assets, base);
    const toWorker = new MessageChannel();
    this.#files = new Worker(new URL("frame-files.js", at));
    this.#files.onerror = (event) => this.#fail(event.message ?? `${at}frame-files.js could not be loaded`);
    this.#files.onmessage = ({ data: { bytes, keep, failed, inside, scripts } }) => {
      if (this.#ended) return;
      if (failed) this.#fail(failed);
      if (bytes) this.#tell(JSON.stringify({ bytes }));
      // At the first visit the service worker comes after the page: it is told what to keep when it is there.
      if (keep) navigator.serviceWorker?.ready.then((registration) => registration.active.postMessage({ keep }));
      if (scripts) this.#start(inside, scripts, toWorker.port2).catch((err) => this.#fail(String(err)));
    };
    this.#files.postMessage({ language, assets: at.href, root: new URL(root, base).href }, [toWorker.port1]);
  }

  #fail(message) {
    if (!this.#ended) this.onerror?.({ currentTarget: this, message });
  }

  async #start(inside, scripts, files) {
    await this.#open(inside);
    if (this.#ended) return;
    const channel = new MessageChannel();
    this.#port = channel.port1;
    this.#port.onmessage = ({ data }) => {
      this.#files.terminate(); // the student's worker has what it sent
      this.#tell(data);
    };
    // The files go straight to the student's worker: in the frame, which shares the page's thread, reading them would take a second.
    this.#frame.contentWindow.postMessage({ scripts, most: mostMessages, longest: longestMessage }, "*", [channel.port2, files]);
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
    this.#files.terminate();
    this.#port?.close();
    this.#frame?.remove();
  }
}
self.StudentFrame = StudentFrame;
