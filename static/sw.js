// sw.js, the service worker, keeps the whole course for offline use. When the site is built, a line
// before this one names the version and every file:
//
//   build = {version, assets: "v/HASH/", files: {address: hash}, unpacked: {address: hash}, onDemand: {address: hash}, fresh: [address]}
//
// Each version has a cache of its own. Pages come from the version that is active; files below v/
// from whichever version has them, so a page of an older version goes on working. A new version waits
// until no page of the old one is open, or a person asks for it. Files that an instructor may change
// in place (fresh) are asked of the server first. Large runtimes (onDemand) are kept once a page has asked
// for them, in a cache that all versions share, since their addresses name what is in them.

const root = new URL("./", self.location); // also the scope
const prefix = `retrylab ${root.pathname} `;
const cacheName = prefix + build.version;
const onDemandName = `retrylab-on-demand ${root.pathname}`;
const listAddress = new URL("sw-build.json", root).href; // where a cache keeps its own list

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(Promise.all([self.clients.claim(), clean()])));
self.addEventListener("message", (event) => {
  if (event.data === "activate") self.skipWaiting();
  // A page sends {keep: "py/VERSION/"} when it has loaded a runtime: at the first visit it may have done so before
  // this worker saw what it asked for.
  if (typeof event.data?.keep === "string") event.waitUntil(keepAll(event.data.keep));
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return;
  const address = decodeURI(url.pathname.slice(root.pathname.length));
  event.respondWith(address in build.onDemand ? onDemand(event, address) : answer(event.request, url, address));
});

// fill fetches what the cache of this version lacks. What an earlier version has with the same content
// is copied. When one file cannot be had the install fails, what has arrived stays, and the browser
// tries again at the next visit.
async function fill() {
  const cache = await caches.open(cacheName);
  const older = await olderFiles();
  const todo = [...Object.keys(build.files), ...build.fresh];
  const worker = async () => {
    for (let address = todo.pop(); address !== undefined; address = todo.pop()) {
      const url = new URL(address, root).href;
      if (await cache.match(url)) continue;
      const same = older.get(build.files[address]);
      const response = (same && (await same())) || (await fetchWhole(address, url));
      if (response) await cache.put(url, response);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  await cache.put(listAddress, Response.json(build));
}

// olderFiles finds the files of earlier versions by the hash of their content.
async function olderFiles() {
  const found = new Map();
  for (const name of await cacheNames()) {
    if (name === cacheName) continue;
    const cache = await caches.open(name);
    const list = await (await cache.match(listAddress))?.json();
    for (const [address, hash] of Object.entries(list?.files ?? {})) {
      found.set(hash, () => cache.match(new URL(address, root).href));
    }
  }
  return found;
}

// fetchWhole asks the server itself, not the browser's cache, which may hold a stale copy. What it gets
// must be of this version: while a site is being replaced, or before one has logged in to a network, a
// server may answer with something else.
async function fetchWhole(address, url) {
  const response = await fetch(url, { cache: "reload" });
  if (response.status === 404 && !(address in build.files)) return null; // a quiz that was taken away
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  const body = await response.blob();
  const type = response.headers.get("content-type") ?? "";
  const page = address === "" || address.endsWith("/") || address.endsWith(".html");
  let right = page ? (await body.text()).includes(build.assets) : !type.startsWith("text/html");
  if (address in build.unpacked) right = await isWhole(body, address, build.files[address]);
  if (!right) throw new Error(`${url} is not of this version`);
  return new Response(body, { headers: { "content-type": type } });
}

// isWhole says whether a file is as it was built. Some hosts unpack what is packed.
async function isWhole(body, address, hash) {
  const got = await sha256(body);
  return got === hash || got === build.unpacked[address];
}

// sha256 is the hash in the form that the list has.
async function sha256(blob) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  return [...sum.slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
}

async function answer(request, url, address) {
  const key = new URL(address, root).href; // without the query
  const cache = await caches.open(cacheName);
  if (/^quiz\/[^/]+\.(json|yaml)$/.test(address)) return fresh(request, cache, key);
  if (request.mode !== "navigate") return (await ownMatch(key)) ?? fetch(request);

  const page = address.replace(/(^|\/)index\.html$/, "$1");
  if (page in build.files && !page.startsWith("v/")) {
    return (await cache.match(new URL(page, root).href)) ?? fetch(request);
  }
  if (page + "/" in build.files) return Response.redirect(new URL(page + "/" + url.search, root).href, 302);
  try {
    return await fetch(request);
  } catch {
    const missing = await cache.match(new URL("404.html", root).href);
    return new Response(missing.body, { status: 404, headers: missing.headers });
  }
}

// fresh asks the server and keeps the answer; offline it gives what was kept.
async function fresh(request, cache, key) {
  try {
    const response = await fetch(request, { cache: "no-cache" });
    if (response.ok) await cache.put(key, response.clone());
    return response;
  } catch (err) {
    const kept = (await cache.match(key)) ?? (await ownMatch(key));
    if (kept) return kept;
    throw err;
  }
}

// onDemand gives a file of a runtime, and keeps it while it passes through.
async function onDemand(event, address) {
  const cache = await caches.open(onDemandName);
  const kept = await cache.match(new URL(address, root).href);
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.status === 200) event.waitUntil(keep(cache, address, response.clone()));
  return response;
}

// keepAll keeps the files of a runtime that are not kept yet. What the page has fetched comes from the
// browser's own cache as a rule.
async function keepAll(folder) {
  const cache = await caches.open(onDemandName);
  for (const address of Object.keys(build.onDemand)) {
    const url = new URL(address, root).href;
    if (!address.startsWith(folder) || (await cache.match(url))) continue;
    const response = await fetch(url);
    if (response.ok) await keep(cache, address, response);
  }
}

// keep puts a file into the cache unless it is not the one that was built, or there is no room: the
// page has it all the same, and it is fetched again the next time.
async function keep(cache, address, response) {
  try {
    const body = await response.blob();
    if (!(await isWhole(body, address, build.onDemand[address]))) return;
    const type = response.headers.get("content-type") ?? "";
    await cache.put(new URL(address, root).href, new Response(body, { headers: { "content-type": type } }));
  } catch (err) {
    console.info(`${address} is not kept for offline use:`, err);
  }
}

// ownMatch looks in this version first, then in the others of this site.
async function ownMatch(key) {
  const names = await cacheNames();
  for (const name of [cacheName, ...names.filter((n) => n !== cacheName).reverse()]) {
    const found = await (await caches.open(name)).match(key);
    if (found) return found;
  }
}

// cacheNames are the caches of this site, oldest first: other courses may share the origin.
async function cacheNames() {
  return (await caches.keys()).filter((name) => name.startsWith(prefix));
}

// clean takes out the versions before the last that no open page belongs to. An open page holds a lock
// that names its version.
async function clean() {
  const held = navigator.locks ? (await navigator.locks.query()).held.map((lock) => lock.name) : [];
  const names = await cacheNames();
  const older = names.slice(0, names.indexOf(cacheName));
  for (const name of older.slice(0, -1)) {
    if (!held.some((lock) => name.startsWith(lock + "."))) await caches.delete(name);
  }
  await cleanOnDemand();
}

// cleanOnDemand takes out the runtimes that no version that is left asks for.
async function cleanOnDemand() {
  if (!(await caches.has(onDemandName))) return;
  const wanted = new Set(Object.keys(build.onDemand));
  for (const name of await cacheNames()) {
    const list = await (await (await caches.open(name)).match(listAddress))?.json();
    for (const address of Object.keys(list?.onDemand ?? {})) wanted.add(address);
  }
  const cache = await caches.open(onDemandName);
  for (const request of await cache.keys()) {
    if (!wanted.has(decodeURI(new URL(request.url).pathname.slice(root.pathname.length)))) await cache.delete(request);
  }
}
