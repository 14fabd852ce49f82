"""The lab's side of a student's program in Python: it does the calls of package student."""


def setup(host_execute, host_clock, host_send, host_memory):
    import builtins
    from gc import collect, freeze
    import io
    import json
    loads, dumps = json.loads, json.dumps
    import linecache
    import sys

    FILE = "queue.py"
    MOST_PRINTED = 8192
    MOST_TEXT = 1000
    MOST_ENTRIES = 200
    MUCH_MEMORY = 96 << 20  # of 160 MiB

    class Printed(io.TextIOBase):
        """Keeps the beginning of what is printed."""

        def __init__(self):
            self.clear()

        def clear(self):
            self.parts, self.size, self.more = [], 0, False

        def writable(self):
            return True

        def write(self, text):
            room = MOST_PRINTED - self.size
            if room > 0:
                self.parts.append(text[:room])
                self.size += len(self.parts[-1])
            if len(text) > room:
                self.more = True
            return len(text)

        def take(self):
            text = "".join(self.parts) + (" …\n" if self.more else "")
            self.clear()
            return text

    printed = Printed()

    def classes():
        """The classes that a program can lay its hands on, by name."""

        class Retryable(Exception):
            """May be tried again, not before retry_after_ms have passed."""

            def __init__(self, message="", retry_after_ms=None):
                super().__init__(message)
                self.retry_after_ms = retry_after_ms

        class Permanent(Exception):
            """Somebody must correct the order first."""

        class Conflict(Exception):
            """The id exists with another payload."""

        class LeaseLost(Exception):
            """The token is no longer the job's."""

        class ClockWentBack(Exception):
            """The second reading of the clock is earlier than the first."""

        class DatabaseError(Exception):
            """What SQLite refused, in its words."""

        class ProcessDied(BaseException):
            """Ends this life. Whoever catches it finds that the database answers nothing any more."""

        class Db:
            """One process's connection: real SQLite."""

            __slots__ = ("_life",)

            def __init__(self, life):
                self._life = life

            def execute(self, sql, params=()):
                """Runs one statement and returns its rows as dicts."""
                if type(sql) is not str:
                    raise TypeError("execute: the statement is a text")
                if type(params) is tuple or type(params) is list:
                    given = [parameter(p) for p in params]
                elif type(params) is dict:
                    given = {str(k): parameter(p) for k, p in params.items()}
                else:
                    raise TypeError("execute: the parameters are a tuple, a list or a dict")
                answer = loads(host_execute(self._life, sql, dumps(given)))
                rows = answer.get("rows")
                if rows is not None:
                    return rows
                if "died" in answer:
                    raise ProcessDied()
                raise DatabaseError(answer["error"])

        given = (Retryable, Permanent, Conflict, LeaseLost, ClockWentBack, DatabaseError)
        for c in given:
            c.__module__ = "builtins"
        return {c.__name__: c for c in given + (ProcessDied, Db)}

    ours = {}  # what classes() made last, and what was in them
    contents = {}

    def names(of):
        """The names in something, to see later whether a program has changed them."""
        return tuple(vars(of).items())

    def changed(of, before):
        now = vars(of)
        return len(now) != len(before) or not all(now.get(name) is v for name, v in before)

    def renew():
        """Makes the classes anew, unless they are as they were made."""
        if not ours or any(changed(c, contents[name]) for name, c in ours.items()):
            ours.update(classes())
            contents.update({name: names(c) for name, c in ours.items()})

    def parameter(p):
        if p is None or type(p) in (bool, int, str):
            return p
        if isinstance(p, float):
            if p != p:
                return {"f": "nan"}
            if p in (float("inf"), float("-inf")):
                return {"f": "inf" if p > 0 else "-inf"}
            return p
        if isinstance(p, int):
            return int(p)
        if isinstance(p, str):
            return str.__str__(p)
        if isinstance(p, (bytes, bytearray)):
            import base64
            return {"b": base64.b64encode(p).decode()}
        return {"o": type(p).__name__}

    def encode(v, depth=0):
        t = type(v)
        if v is None or t is bool:
            return v
        if isinstance(v, str):
            text = str.__str__(v)
            return text if len(text) <= 1 << 17 else {"o": "str of %d characters" % len(text)}
        if isinstance(v, int):
            return {"i": int.__repr__(v)} if v.bit_length() <= 64 else {"o": "int of %d bits" % v.bit_length()}
        if isinstance(v, float):
            return {"f": float.__repr__(v)}
        if depth < 3 and isinstance(v, (list, tuple)):
            return {"l": [encode(x, depth + 1) for x in list(v)[:MOST_ENTRIES]]}
        if depth < 3 and isinstance(v, dict):
            return {"m": {str(k): encode(x, depth + 1) for k, x in list(v.items())[:MOST_ENTRIES]}}
        return {"o": t.__name__}

    def decode(v, life):
        if not isinstance(v, dict):
            return v
        (key, inner), = v.items()
        if key == "i":
            return int(inner)
        if key == "f":
            return float(inner)
        if key == "l":
            return [decode(x, life) for x in inner]
        if key == "m":
            return {k: decode(x, life) for k, x in inner.items()}
        if key == "clock":
            return lambda: int(host_clock(life.number))
        if key == "send":
            return life.send
        return failure(inner)

    def failure(f):
        """The error that a send raises, or that an adapter hands to fail."""
        after = f["retry_after_ms"]
        if f["mark"] == "retryable":
            error = ours["Retryable"](f["message"], None if after is None else int(after["i"]))
        elif f["mark"] == "permanent":
            error = ours["Permanent"](f["message"])
        else:
            error = RuntimeError(f["message"])
            # It came up while another one was handled: that is no cause, and no mark.
            error.__context__ = ours["Retryable"]("an error before this one")
        if f.get("wrapped"):
            for message in (f["message"], f["message"], f["message"], "send: " + f["message"]):
                outer = RuntimeError(message)
                outer.__cause__ = error  # the mark counts at any depth
                error = outer
        return error

    class Life:
        """One process: the program, loaded anew."""

        def __init__(self, number):
            self.number = number
            self.names = {name: c for name, c in ours.items() if name not in ("Db", "ProcessDied")}
            self.names.update(__name__="queue", __builtins__=builtins)
            self.queue = None
            self.sent = None
            exec(program["code"], self.names)

        def send(self, job):
            answer = loads(host_send(self.number, dumps(encode(job))))
            if answer.get("crash"):
                raise ours["ProcessDied"]()
            if "failure" in answer:
                self.sent = failure(answer["failure"])
                self.unknown = answer["failure"]["mark"] == "unknown"
                raise self.sent

        def call(self, name, args, named):
            target = self.names.get(name) if self.queue is None else getattr(self.queue, name, None)
            if not callable(target):
                what = "function" if self.queue is None else "method"
                raise Missing("there is no %s %s" % (what, name))
            self.sent = None
            return encode(target(*args, **named))

    class Missing(Exception):
        pass

    program = {"code": None, "lines": []}
    lives = {}

    # What Pyodide itself has of JavaScript's is nobody's business here.
    for name in list(sys.modules):
        if name == "js" or name.startswith("pyodide_js"):
            del sys.modules[name]
    names_before = dict(vars(builtins))
    # What is in each module; sys and builtins are looked after by themselves.
    modules_before = {name: (module, names(module)) for name, module in list(sys.modules.items())
                      if name not in ("sys", "builtins", "__main__") and "pyodide" not in name and hasattr(module, "__dict__")}
    known_before = set(sys.modules)
    classes_before = [(c, names(c)) for module, before in modules_before.values() for _, c in before
                      if isinstance(c, type) and c.__module__ == module.__name__ and c.__flags__ & 1 << 8 == 0]
    recursion = sys.getrecursionlimit()

    def heal():
        """Takes back what a program has done to the built-in names: json and others work with them, too."""
        now = vars(builtins)
        if len(now) != len(names_before):
            for name in [n for n in now if n not in names_before]:
                del now[name]
        for name, v in names_before.items():
            if now.get(name) is not v:
                now[name] = v

    def afresh():
        """Leaves nothing of an earlier process outside the database."""
        heal()
        for name in list(sys.modules):
            if name not in known_before and not hasattr(sys.modules[name], "__file__"):
                del sys.modules[name]
        sys.setrecursionlimit(recursion)
        renew()

    def heal_modules():
        """Takes back what an earlier program has done to modules. Those that it brought in come anew."""
        for name in list(sys.modules):
            if name not in known_before:
                del sys.modules[name]
        for name, (module, before) in modules_before.items():
            sys.modules[name] = module
            if changed(module, before):
                now = vars(module)
                now.clear()
                now.update(before)
        for c, before in classes_before:
            if changed(c, before):
                for name in set(vars(c)).difference(name for name, _ in before):
                    if not name.startswith("__annot"):  # Python's own notes
                        type.__delattr__(c, name)
                for name, v in before:
                    if vars(c).get(name) is not v:
                        type.__setattr__(c, name, v)

    def meaning(e, life):
        if life is not None and e is life.sent and life.unknown:
            return "sent"
        for kind, word in ((ours["Conflict"], "conflict"), (ours["LeaseLost"], "lease_lost"),
                           (ours["ClockWentBack"], "clock_back"), ((ValueError, TypeError), "rejected"),
                           (Missing, "missing"), (ours["ProcessDied"], "died")):
            if isinstance(e, kind):
                return word
        return "other"

    def shorten(text):
        return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"

    def told(e, life):
        """An exception as the lab shows it: the student's lines of its traceback."""
        try:
            message = shorten(str(e))
        except BaseException:
            message = "an error whose text cannot be made"
        line, trace = 0, []
        if isinstance(e, SyntaxError) and e.filename == FILE:
            line, message = e.lineno or 0, shorten(e.msg or "")
        else:
            # traceback.extract_tb would look for the files of all frames, which takes milliseconds here.
            frames, tb = [], e.__traceback__
            while tb is not None:
                if tb.tb_frame.f_code.co_filename == FILE:
                    frames.append((tb.tb_lineno, tb.tb_frame.f_code.co_name))
                    del frames[:-12]
                tb = tb.tb_next
            if frames:
                line = frames[-1][0]
            for number, name in frames:
                text = program["lines"][number - 1].strip() if number <= len(program["lines"]) else ""
                trace.append("line %d, in %s: %s" % (number, name, shorten(text)))
        name = type(e).__name__
        return {"type": name, "is": meaning(e, life), "message": message, "line": line, "trace": "\n".join(trace)}

    def perform(call):
        for gone in call.get("gone", ()):
            lives.pop(gone, None)
        kind, life = call["do"], lives.get(call.get("life"))
        if kind == "load":
            program["code"] = None
            source = call.get("source", "").removeprefix("\ufeff")  # as files may begin
            program["lines"] = source.splitlines()
            linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
            afresh()
            lives.clear()
            program["code"] = compile(source, FILE, "exec", dont_inherit=True)
        elif kind == "live":
            if call.get("fresh"):
                afresh()
            if host_memory() > MUCH_MEMORY:
                collect()  # what earlier processes have kept, and only holds itself
            life = lives[call["life"]] = Life(call["life"])
            if call.get("queue"):
                make = life.names.get("Queue")
                if not callable(make):
                    raise Missing("there is no class Queue")
                life.queue = make(ours["Db"](life.number))
                if life.queue is None:
                    raise Missing("Queue returned None, wanted an object")
        elif kind == "call":
            args = [decode(a, life) for a in call.get("args", [])]
            named = {k: decode(v, life) for k, v in call.get("named", {}).items()}
            return life.call(call["name"], args, named)
        return None

    def do(text):
        heal()
        if text.startswith('{"do":"load"'):
            heal_modules()  # before anything works with them
        call = loads(text)
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = printed
        try:
            try:
                answer = {"ok": perform(call)}
            except BaseException as e:
                answer = {"ok": None, "raised": told(e, lives.get(call.get("life")))}
        finally:
            sys.stdout, sys.stderr = before
            heal()
        if printed.size:
            answer["printed"] = printed.take()
        return dumps(answer)

    renew()
    freeze()  # what is there by now is no garbage, and need not be looked at again
    return do


setup
