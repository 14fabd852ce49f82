// student-javascript.js is the lab's side of a student's program in JavaScript, inside QuickJS: it does
// the calls of package student. It has a realm of its own, which no program reaches: what a program does to
// JSON or to a prototype is its own matter. Each process of a program has a realm of its own, too: its world.
(function (hostExecute, hostClock, hostSend) {
  "use strict";
  const { parse, stringify } = JSON;
  const mostPrinted = 8192, mostText = 1000, mostEntries = 200;

  // prepare runs in each world before the program: its text is evaluated there. What the program is to find
  // there is made there, and what the lab needs of that world is returned.
  function prepare(print) {
    "use strict";
    class Retryable extends Error {
      constructor(message = "", retryAfterMs = null) {
        super(message);
        this.name = "Retryable";
        this.retryAfterMs = retryAfterMs;
      }
    }
    const named = (name) => {
      const made = { [name]: class extends Error {
        constructor(message) {
          super(message);
          this.name = name;
        }
      } };
      return made[name];
    };
    const Permanent = named("Permanent"), Conflict = named("Conflict"), LeaseLost = named("LeaseLost");
    const ClockWentBack = named("ClockWentBack"), DatabaseError = named("DatabaseError"), Missing = named("Missing");
    const ProcessDied = named("ProcessDied");
    for (const [name, value] of Object.entries({ Retryable, Permanent, Conflict, LeaseLost, ClockWentBack, DatabaseError })) {
      Object.defineProperty(globalThis, name, { value });
    }
    const log = (...all) => print(...all);
    // Two things that a program for browsers and for Node would expect.
    class TextEncoder {
      encode(text = "") {
        const units = unescape(encodeURIComponent(String(text).toWellFormed()));
        const bytes = new Uint8Array(units.length);
        for (let i = 0; i < units.length; i++) bytes[i] = units.charCodeAt(i);
        return bytes;
      }
    }
    const crypto = Object.freeze({
      randomUUID: () => "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (c) => (c ^ ((Math.random() * 16) >> (c / 4))).toString(16)),
    });
    const console = Object.freeze({ log, info: log, warn: log, error: log, debug: log });
    for (const [name, value] of Object.entries({ Retryable, Permanent, Conflict, LeaseLost, ClockWentBack, DatabaseError, console, TextEncoder, crypto })) {
      Object.defineProperty(globalThis, name, { value });
    }
    class Db {
      #execute;
      constructor(execute) {
        this.#execute = execute;
      }
      // execute runs one statement and returns its rows as objects.
      execute(sql, params = []) {
        return this.#execute(sql, params);
      }
    }
    return {
      Retryable, Permanent, Conflict, LeaseLost, ClockWentBack, DatabaseError, Missing, ProcessDied,
      Error, RangeError, TypeError, Object, Array, Db, parse: JSON.parse,
    };
  }

  let printed = "", more = false;
  const print = (...all) => {
    const text = all.map((v) => (typeof v === "string" ? v : spell(v))).join(" ") + "\n";
    const room = mostPrinted - printed.length;
    if (text.length > room) more = true;
    if (room > 0) printed += text.slice(0, room);
  };
  const spell = (v) => {
    try {
      return kindOf(v) === "Error" ? String(v) : stringify(v) ?? String(v);
    } catch {
      return typeof v;
    }
  };

  // Names travel as Python writes them. An underscore of a name's own is doubled: max_attempts is not maxAttempts.
  // There are few of them, and they come thousands of times.
  const kept = (spelled) => {
    const known = new Map();
    return (name) => {
      let own = known.get(name);
      if (own === undefined) {
        own = spelled(name);
        if (known.size < 100) known.set(name, own);
      }
      return own;
    };
  };
  const camel = kept((name) => name.replace(/__|_([a-z])/g, (_, c) => c?.toUpperCase() ?? "_"));
  const snake = kept((name) => name.replace(/[A-Z_]/g, (c) => "_" + c.toLowerCase()));
  const shorten = (text) => (text.length <= mostText ? text : text.slice(0, mostText) + "…");

  // execute is what a world's db does.
  function execute(life, sql, params) {
    const { world } = life;
    if (typeof sql !== "string") throw new world.TypeError("execute: the statement is a text");
    let given;
    if (Array.isArray(params)) {
      given = [];
      for (let i = 0; i < params.length; i++) given[i] = parameter(params[i]);
    } else if (params !== null && typeof params === "object") {
      given = Object.fromEntries(Object.entries(params).map(([k, v]) => [k, parameter(v)]));
    } else {
      throw new world.TypeError("execute: the parameters are an array or an object");
    }
    const answer = world.parse(hostExecute(life.number, sql, stringify(given)));
    if (answer.rows) return answer.rows;
    if (answer.died) throw new world.ProcessDied("the process has died");
    throw new world.DatabaseError(answer.error);
  }

  function parameter(v) {
    switch (typeof v) {
      case "boolean": case "string":
        return v;
      case "number":
        if (Number.isFinite(v)) return v;
        return { f: Number.isNaN(v) ? "nan" : v > 0 ? "inf" : "-inf" };
      case "undefined":
        return { o: "undefined" };
      case "object":
        if (v === null) return null;
    }
    return { o: typeof v === "object" ? v.constructor?.name ?? "object" : typeof v };
  }

  function encode(v, depth = 0) {
    switch (typeof v) {
      case "boolean":
        return v;
      case "string":
        return v.length <= 1 << 17 ? v : { o: `string of ${v.length} characters` };
      case "number":
        if (Number.isInteger(v)) return { i: String(v === 0 ? 0 : v) };
        return { f: Number.isNaN(v) ? "nan" : Number.isFinite(v) ? String(v) : v > 0 ? "inf" : "-inf" };
      case "undefined":
        return { u: "undefined" };
      case "object":
        if (v === null) return null;
        if (depth < 3 && Array.isArray(v)) {
          const l = [];
          for (let i = 0; i < v.length && i < mostEntries; i++) l[i] = encode(v[i], depth + 1);
          return { l };
        }
        if (depth < 3 && kindOf(v) === "Object") {
          return { m: Object.fromEntries(Object.entries(v).slice(0, mostEntries).map(([k, x]) => [snake(k), encode(x, depth + 1)])) };
        }
        return { o: kindOf(v) };
    }
    return { o: typeof v };
  }

  // kindOf tells an object with fields from a Map, a Promise or a Generator, which have none.
  const { toString } = Object.prototype;
  const kindOf = (v) => Function.prototype.call.call(toString, v).slice(8, -1);

  function decode(v, life) {
    if (v === null || typeof v !== "object") return v;
    if ("i" in v) return Number(v.i);
    if ("f" in v) return { nan: NaN, inf: Infinity, "-inf": -Infinity }[v.f] ?? Number(v.f);
    if (v.l) return v.l.reduce((list, x, i) => ((list[i] = decode(x, life)), list), new life.world.Array());
    if (v.m) return fields(v.m, life);
    if (v.clock) return () => hostClock(life.number);
    if (v.send) return (job) => life.send(job);
    return failure(v.failure, life.world);
  }

  const fields = (m, life) => {
    const made = new life.world.Object();
    for (const [k, x] of Object.entries(m)) made[camel(k)] = decode(x, life);
    return made;
  };

  // failure is the error that a send raises, or that an adapter hands to fail.
  function failure(f, { Retryable, Permanent, Error }) {
    const after = f.retry_after_ms;
    const error = f.mark === "retryable" ? new Retryable(f.message, after === null ? null : Number(after.i))
      : f.mark === "permanent" ? new Permanent(f.message) : new Error(f.message);
    if (!f.wrapped) return error;
    let outer = error;
    for (let depth = 0; depth < 3; depth++) outer = new Error(f.message, { cause: outer }); // the mark counts at any depth
    return new Error("send: " + f.message, { cause: outer });
  }

  let now = null; // the world that new lives come into, and make, a function that makes the program's names in it
  const lives = new Map();

  class Life {
    constructor(number) {
      this.number = number;
      this.world = now.world;
      this.names = now.make();
      this.queue = null;
      this.sent = null;
      this.unknown = false;
    }
    send(job) {
      const answer = parse(hostSend(this.number, stringify(encode(job))));
      if (answer.crash) throw new this.world.ProcessDied("the process has died");
      if (answer.failure) {
        this.sent = failure(answer.failure, this.world);
        this.unknown = answer.failure.mark === "unknown";
        throw this.sent;
      }
    }
    call(name, args, options) {
      const own = camel(name);
      const target = this.queue ?? this.names;
      const f = target[own];
      if (typeof f !== "function") throw new this.world.Missing(`there is no ${this.queue ? "method" : "function"} ${own}`);
      this.sent = null;
      if (options) args.push(options);
      return encode(Reflect.apply(f, target, args));
    }
  }

  const forget = (gone = []) => gone.forEach((number) => lives.delete(number));

  function perform(call) {
    forget(call.gone);
    const life = lives.get(call.life);
    switch (call.do) {
      case "live": {
        const made = new Life(call.life);
        lives.set(call.life, made);
        if (!call.queue) break;
        const { names, world } = made;
        if (typeof names.Queue !== "function") throw new world.Missing("there is no class Queue");
        made.queue = new names.Queue(new world.Db((sql, params) => execute(made, sql, params)));
        break;
      }
      case "call": {
        const options = call.named && fields(call.named, life);
        return life.call(call.name, (call.args ?? []).map((a) => decode(a, life)), options);
      }
    }
    return null;
  }

  function meaning(e, life, { Conflict, LeaseLost, ClockWentBack, Missing, ProcessDied, ...own }) {
    if (life && e === life.sent && life.unknown) return "sent";
    if (e instanceof Conflict) return "conflict";
    if (e instanceof LeaseLost) return "lease_lost";
    if (e instanceof ClockWentBack) return "clock_back";
    if (e instanceof own.RangeError || e instanceof own.TypeError || e instanceof RangeError || e instanceof TypeError) return "rejected";
    if (e instanceof Missing) return "missing";
    if (e instanceof ProcessDied) return "died";
    return "other";
  }

  // told is an error as the lab shows it: the student's lines of its stack. What a call of the program's raises
  // without its doing is of the lab's realm.
  function told(e, life) {
    const world = life?.world ?? now.world;
    let type = "a thrown value", message = "", stack = "";
    try {
      if (e instanceof world.Error || e instanceof Error) [type, message, stack] = [String(e.name), String(e.message), String(e.stack)];
      else message = spell(e);
    } catch {
      message = "an error whose text cannot be made";
    }
    const lines = [...stack.matchAll(/^\s*(?:at )?(.*?) ?\(?queue\.js:(\d+)/gm)].map(([, where, line]) => [where, Number(line)]);
    const trace = lines.slice(0, 12).map(([where, line]) => `line ${line}` + (where && !where.startsWith("<") ? `, in ${where}` : "")).join("\n");
    return { type, is: meaning(e, life, world), message: shorten(message), line: lines[0]?.[1] ?? 0, trace: shorten(trace) };
  }

  // A program gets functions of this realm: clock and send. Through them it must keep nothing from one process to
  // the next, and change nothing here.
  const frozen = new Set();
  const freeze = (v) => {
    if (v === null || (typeof v !== "object" && typeof v !== "function") || frozen.has(v)) return;
    frozen.add(v);
    for (const key of Reflect.ownKeys(v)) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(v, key);
      [value, get, set].forEach(freeze);
    }
    freeze(Object.getPrototypeOf(v));
    Object.freeze(v);
  };
  freeze(globalThis);
  // Prototypes that no name leads to.
  for (const v of [function* () {}, async function () {}, async function* () {}, [].values(), new Map().keys(), new Set().keys(), "".matchAll(/./g), ""[Symbol.iterator]()]) {
    freeze(Object.getPrototypeOf(v));
  }

  return {
    prepare: `(${prepare})`,
    print,
    // leave forgets the lives that a call says are gone, before their world is left; without one, all of them.
    leave(text) {
      now = null;
      if (text) return forget(parse(text).gone), "";
      lives.clear();
      printed = "";
      more = false;
      return "";
    },
    // collect has QuickJS throw away what only holds itself: it does so when enough has been made.
    collect() {
      const ring = () => {
        const one = {};
        one.itself = one;
        return one;
      };
      const first = new WeakRef(ring());
      for (let n = 0; n < 100000 && first.deref(); n++) ring();
      return "";
    },
    enter(world, make) {
      now = { world, make };
    },
    told: (e) => stringify({ ok: null, raised: told(e, null) }),
    do(text) {
      const call = parse(text);
      let answer;
      try {
        answer = { ok: perform(call) };
      } catch (e) {
        answer = { ok: null, raised: told(e, lives.get(call.life)) };
      }
      if (printed) {
        answer.printed = printed + (more ? " …\n" : "");
        printed = "";
        more = false;
      }
      return stringify(answer);
    },
  };
})
