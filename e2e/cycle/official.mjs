// The peer: the official sqlite-wasm. The schema and the statements are the queue's own text, which
// the test writes to queue.json; the settings are those of our side. Each call does what the queue does
// around its statement: it binds, steps to the end, and looks at the row or at the number of changes.
import init from "./sqlite-wasm/index.mjs";

const queue = await (await fetch("queue.json")).json();
const sqlite3 = await init();
const homes = {};

const pragmas = {
  memory: ["locking_mode=exclusive", "page_size=1024", "foreign_keys=on"],
  opfs: ["page_size=4096", "locking_mode=exclusive", "journal_mode=wal", "synchronous=full", "foreign_keys=on", "temp_store=memory"],
};

async function open(home) {
  let db;
  if (home === "memory") {
    db = new sqlite3.oo1.DB(":memory:");
  } else {
    const pool = await sqlite3.installOpfsSAHPoolVfs({ name: "pool", clearOnInit: true });
    db = new pool.OpfsSAHPoolDb("/cycle.db");
  }
  for (const p of pragmas[home]) db.exec("PRAGMA " + p);
  for (const s of queue.schema) db.exec(s);
  const b = { db, done: 0, settings: "" };
  for (const name of ["page_size", "journal_mode", "synchronous", "locking_mode", "foreign_keys"]) b.settings += name + "=" + db.selectValue("PRAGMA " + name) + " ";
  b.settings += db.selectValue("SELECT sqlite_version()");
  for (const name of ["insert", "lease", "complete"]) {
    const { text, args } = queue.statements[name];
    b[name] = { statement: db.prepare(text), args };
  }
  return b;
}

function bind({ statement, args }, values) {
  for (let i = 0; i < args.length; i++) statement.bind(i + 1, values[args[i]]);
  return statement;
}

function exec(b, name, values) {
  const s = bind(b[name], values);
  s.step();
  s.reset();
  if (b.db.changes() !== 1) throw new Error(name + " changed " + b.db.changes() + " rows");
}

function cycle(b) {
  const id = "job " + ++b.done;
  const now = 1000 * b.done;
  exec(b, "insert", { id, payload: "two boxes for 12 Main Street", max_attempts: 3, deadline: now + 3600000, available_at: 0, now });
  const lease = bind(b.lease, { now, lease_ms: 60000 });
  if (!lease.step()) throw new Error("nothing to claim");
  const claim = lease.get([]);
  lease.step(); // to the end, which commits
  lease.reset();
  if (claim[2] !== id) throw new Error("claimed " + claim[2] + ", not " + id);
  exec(b, "complete", { now, seq: claim[0], token: claim[1] });
}

self.onmessage = async ({ data }) => {
  try {
    const b = (homes[data.home] ??= await open(data.home));
    const began = performance.now();
    for (let i = 0; i < data.cycles; i++) cycle(b);
    postMessage({ ms: performance.now() - began, said: b.settings });
  } catch (e) {
    postMessage({ ms: -1, said: String(e) });
  }
};
postMessage({ ms: 0, said: "ready" });
