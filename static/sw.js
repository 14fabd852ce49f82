// sw.js, the service worker, keeps the whole course for offline use. When the site is built, a line
// before this one names the version and every file:
//
//   build = {version, assets: "v/HASH/", files: {address: hash}, unpacked: {address: hash}, fresh: [address]}
//
// Each version has a cache of its own. Pages come from the version that is active; files below v/
// from whichever version has them, so a page of an older version goes on working. A new version waits
// until no page of the old one is open, or a person asks for it. Files that an instructor may change
// in place (fresh) are asked of the server first.

const root = new URL("./", self.location); // also the scope
const prefix = `retrylab ${root.pathname} `;
const cacheName = prefix + build.version;
const listAddress = new URL("sw-build.json", root).href; // where a cache keeps its own list

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(Promise.all([self.clients.claim(), clean()])));
self.addEventListener("message", (event) => {
  if (event.data === "activate") self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return;
  event.respondWith(answer(event.request, url));
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
  if (address in build.unpacked) {
    const hash = await sha256(body);
    right = hash === build.files[address] || hash === build.unpacked[address]; // some hosts unpack it
  }
  if (!right) throw new Error(`${url} is not of this version`);
  return new Response(body, { headers: { "content-type": type } });
}

// sha256 is the hash in the form that the list has.
async function sha256(blob) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  return [...sum.slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
}

async function answer(request, url) {
  const address = decodeURI(url.pathname.slice(root.pathname.length));
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
}
