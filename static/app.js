// app.js starts the pages' program in a tab, and does what must work when that program does not:
// progress, faults, new versions.
"use strict";
{
  const assets = new URL(".", document.currentScript.src); // v/HASH/ of this version
  const base = new URL("../../", assets); // the site's root, whatever path it has on this host
  const byId = (id) => document.getElementById(id);

  // go-app asks for its environment through this function.
  const env = {
    GOAPP_ROOT_PREFIX: decodeURIComponent(base.pathname.slice(0, -1)), // go-app holds it against decoded paths
    RETRYLAB_BASE: base.pathname,
    RETRYLAB_ASSETS: assets.pathname,
  };
  globalThis.goappGetenv = (name) => env[name];

  // go-app reads localStorage when it starts, and would end where a browser refuses it.
  try {
    void localStorage.length;
  } catch {
    const kept = new Map();
    Object.defineProperty(globalThis, "localStorage", {
      value: {
        get length() { return kept.size; },
        key: (i) => [...kept.keys()][i] ?? null,
        getItem: (k) => kept.get(String(k)) ?? null,
        setItem: (k, v) => void kept.set(String(k), String(v)),
        removeItem: (k) => void kept.delete(String(k)),
        clear: () => kept.clear(),
      },
    });
  }

  // go-app ends at an address that Go cannot read: one whose fragment has a % without two digits behind it, as a link
  // that was cut off may have. It gets such a % written out.
  const readable = () => {
    const hash = location.hash.replace(/%(?![0-9a-f]{2})/gi, "%25");
    if (hash !== location.hash) history.replaceState(history.state, "", location.pathname + location.search + hash);
  };
  readable();
  addEventListener("popstate", readable); // before go-app's own: it comes later

  for (const link of document.querySelectorAll("link[rel=icon], link[rel=manifest], link[rel=apple-touch-icon]")) {
    link.href = link.href; // relative links lose their place when the program changes the address
  }

  // go-app takes every click on a link for a page of its own. It gets those that are; the browser
  // keeps the rest: other sites, files, other languages, new tabs, and places on the same page, where
  // the browser also moves the focus.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (!link || !link.href || typeof link.href !== "string") return;
    const to = new URL(link.href);
    const samePage = to.pathname === location.pathname && to.search === location.search;
    const ours = to.origin === location.origin && to.pathname.startsWith(base.pathname) && /(\/|\/index\.html)$/.test(to.pathname);
    const plain = event.button === 0 && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    const language = link.hreflang && link.hreflang !== document.documentElement.lang;
    if (!ours || !plain || language || link.target || (samePage && to.hash)) event.stopPropagation();
  });

  const program = new URL("app.wasm.gz", assets);
  for (const id of ["load-fault", "load-stopped"]) {
    byId(id).querySelector("button").addEventListener("click", async () => {
      // A program that arrived broken may lie in a cache.
      try {
        for (const name of await globalThis.caches?.keys() ?? []) await (await caches.open(name)).delete(program);
        await (await fetch(program, { cache: "reload" })).blob();
      } catch { /* the reload will tell */ }
      location.reload();
    });
  }

  // What a person did before the program came must not be lost when it replaces the page: go-app puts
  // an equal page in the place of the one that was served.
  function carry(page) {
    const path = (element) => {
      const steps = [];
      for (let e = element; e && e !== page; e = e.parentElement) steps.unshift([...e.parentElement.children].indexOf(e));
      return steps;
    };
    const find = (steps) => steps.reduce((e, i) => e?.children[i], document.body.firstElementChild);
    const was = [];
    for (const e of page.querySelectorAll("input, textarea, select")) {
      if (e.type === "file") continue;
      const value = e.type === "checkbox" || e.type === "radio" ? "checked" : "value";
      const first = e.tagName === "SELECT" ? ([...e.options].find((o) => o.defaultSelected) ?? e.options[0])?.value : e[value === "checked" ? "defaultChecked" : "defaultValue"];
      if (e[value] !== first) was.push([path(e), e.tagName, value, e[value]]);
    }
    const open = [...page.querySelectorAll("details[open]")].map(path);
    const active = page.contains(document.activeElement) ? [path(document.activeElement), document.activeElement.tagName] : null;
    return () => {
      for (const steps of open) find(steps)?.setAttribute("open", "");
      for (const [steps, tag, property, value] of was) {
        const e = find(steps);
        if (e?.tagName !== tag) continue;
        e[property] = value;
        e.dispatchEvent(new Event("input", { bubbles: true }));
        e.dispatchEvent(new Event("change", { bubbles: true }));
      }
      const e = active && find(active[0]);
      if (e && e.tagName === active[1]) e.focus({ preventScroll: true });
    };
  }

  // The page's program calls this when it has put another page into the tab: a person then stands at
  // its beginning, the screen reader too; the way back leads to where one was.
  let back = false;
  addEventListener("popstate", () => { back = true; });
  globalThis.retrylabArrived = () => {
    if (!back && !location.hash) scrollTo(0, 0);
    back = false;
    byId("main")?.focus({ preventScroll: true });
  };

  const state = (s) => { document.documentElement.dataset.program = s; }; // loading, ready, failed

  async function start() {
    const bar = byId("load-bar");
    state("loading");
    bar.hidden = false;
    let ended;
    try {
      const go = new Go();
      const { instance } = await loadProgram(program, go.importObject, (bytes) => { bar.value = Math.min(bytes, bar.max); });
      const restore = carry(document.body.firstElementChild);
      ended = go.run(instance);
      restore();
    } catch (err) {
      console.error("the pages' program could not start:", err);
      state("failed");
      byId("load-fault").hidden = false;
      return;
    } finally {
      bar.hidden = true;
    }
    state("ready");
    await ended; // it never ends, unless it fails
    console.error("the pages' program has ended");
    state("failed");
    byId("load-stopped").hidden = false;
  }

  // The service worker keeps the site for offline use. A new version waits until it is asked for.
  async function keepOffline() {
    if (!navigator.serviceWorker) return;
    let asked = false;
    const offer = (registration) => {
      const box = byId("update");
      const [now, later] = box.querySelectorAll("button");
      now.onclick = () => {
        asked = true;
        if (registration.waiting) registration.waiting.postMessage("activate");
        else location.reload();
      };
      later.onclick = () => { box.hidden = true; };
      box.hidden = false;
    };
    navigator.serviceWorker.addEventListener("controllerchange", () => { if (asked) location.reload(); });
    // While this lock is held, the files of this version stay in the cache.
    navigator.locks?.request(`retrylab ${base.pathname} ${assets.pathname.split("/").at(-2)}`, { mode: "shared" }, () => new Promise(() => {}));
    let registration;
    try {
      registration = await navigator.serviceWorker.register(new URL("sw.js", base), { updateViaCache: "none" });
    } catch (err) {
      console.info("the course is not kept for offline use:", err);
      return;
    }
    if (registration.waiting && registration.active) offer(registration);
    registration.addEventListener("updatefound", () => {
      const worker = registration.installing;
      worker?.addEventListener("statechange", () => {
        if (worker.state === "installed" && registration.active) offer(registration);
      });
    });
    let asks = performance.now();
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible" || performance.now() - asks < 10 * 60 * 1000) return;
      asks = performance.now();
      registration.update().catch(() => { /* offline */ });
    });
  }

  start();
  addEventListener("load", keepOffline);
}
