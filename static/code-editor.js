// code-editor.js is the element <code-editor>: a field for a student's program, or a quiz's file. It holds a <textarea>, which
// can be typed into at once, and becomes CodeMirror when editor.js has arrived (static/editor/editor.js);
// when that cannot be had, the textarea stays and everything below works with it.
//
//   <code-editor language="python" label="Your queue"><textarea aria-label="Your queue">def ...</textarea></code-editor>
//
// Attributes: language, python, javascript or yaml; label, its name; tab-indents, unless "false": Tab indents in CodeMirror
// instead of leaving the editor (after Escape it leaves); mark-text, how a mark is told: "Line {line}: {message}".
// Properties: value, the text, lines ending in \n; setting it can be undone, and setting an equal text does nothing;
// marks, an array of {line, message}, lines counting from 1, where something is wrong.
// Methods: focus(); goTo(line, column), which puts the cursor there, both counting from 1, columns in characters.
// Events, all bubbling: input when the person has changed the text; run at Ctrl or Cmd with Enter or S; toolong
// when a change was refused because the text would pass 64 KiB of UTF-8.
"use strict";
{
  const limit = 64 * 1024; // bytes of UTF-8
  const script = new URL("editor.js", document.currentScript.src);

  // fits says whether a text may be held. A code unit has three bytes at most.
  const fits = (text) => text.length * 3 <= limit || (text.length <= limit && new TextEncoder().encode(text).length <= limit);
  const lines = (text) => String(text).replace(/\r\n?/g, "\n");

  // The page comes first: a script that is asked for earlier would put off its load event.
  const complete = new Promise((resolve) => {
    if (document.readyState === "complete") resolve();
    else addEventListener("load", resolve, { once: true });
  });

  let loading;
  // load fetches CodeMirror once. After a failure the next editor tries again.
  async function load() {
    await complete;
    loading ??= new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = script;
      element.onload = () => resolve(globalThis.retrylabEditor);
      element.onerror = () => { loading = undefined; element.remove(); reject(new Error("editor.js did not arrive")); };
      document.head.append(element);
    });
    return loading;
  }

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { display: block; min-width: 0; container-type: inline-size; }
    .told p { margin: 0; color: var(--shu); font: 400 var(--t-s)/1.5 var(--sans); overflow-wrap: anywhere; }
    .told.aside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }`);

  class CodeEditor extends HTMLElement {
    static observedAttributes = ["language", "label", "tab-indents"];
    #area; // the textarea
    #text = ""; // what it holds, as far as it was let in
    #editor; // CodeMirror, when it is here
    #composing = false;
    #marks = [];
    #told; // the marks in words
    #slot = document.createElement("slot"); // where the textarea shows

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      this.#told = document.createElement("div");
      this.#told.id = "marks";
      this.#told.className = "told";
      this.#told.setAttribute("role", "status");
      this.#slot.addEventListener("slotchange", () => this.#begin());
      root.append(this.#slot, this.#told);
      this.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    }

    connectedCallback() { this.#begin(); }

    disconnectedCallback() {
      if (!this.#editor) return;
      this.#editor.destroy();
      this.#editor = undefined;
      delete this.#area.focus;
      this.shadowRoot.prepend(this.#slot);
      this.#told.className = "told";
    }

    attributeChangedCallback() { this.#editor?.set(this.#options()); }

    get value() { return this.#editor ? this.#editor.value : this.#text; }

    set value(text) {
      text = lines(text);
      if (text === this.value) return;
      if (!fits(text)) return this.#tell("toolong");
      this.#text = text;
      if (this.#area) this.#area.value = text;
      if (this.#editor) this.#editor.value = text;
    }

    get marks() { return this.#marks; }

    set marks(marks) {
      this.#marks = Array.from(marks ?? [], ({ line, message }) => ({ line: Number(line), message: String(message) }));
      this.#told.replaceChildren(...this.#marks.map(({ line, message }) => {
        const item = document.createElement("p");
        const form = this.getAttribute("mark-text") ?? "{line}: {message}";
        item.textContent = form.replace(/\{(line|message)\}/g, (all, key) => ({ line, message })[key]);
        return item;
      }));
      this.#describe();
      this.#editor?.set(this.#options());
    }

    focus(options) {
      if (this.#editor) this.#editor.focus();
      else this.#area?.focus(options);
    }

    goTo(line, column) {
      const lines = this.value.split("\n");
      const at = Math.min(Math.max(line, 1), lines.length) - 1;
      const before = [...lines[at]].slice(0, Math.max(column, 1) - 1).join("");
      const offset = lines.slice(0, at).reduce((sum, text) => sum + text.length + 1, 0) + before.length;
      if (this.#editor) return this.#editor.goTo(offset);
      this.#area?.focus();
      this.#area?.setSelectionRange(offset, offset);
    }

    #options() {
      return {
        language: this.getAttribute("language"),
        label: this.getAttribute("label") ?? "",
        tabIndents: (this.getAttribute("tab-indents") ?? "false") !== "false",
        marks: this.#marks,
      };
    }

    // begin takes the textarea when it is there, and then asks for CodeMirror.
    #begin() {
      const area = this.querySelector("textarea");
      if (!area || !this.isConnected || this.#editor) return;
      if (area !== this.#area) {
        this.#area = area;
        // What was set before the textarea came counts; else what it has, which somebody may have typed.
        if (this.#text) area.value = this.#text;
        else this.#text = area.value;
        area.addEventListener("input", (event) => this.#typed(event));
        area.addEventListener("compositionstart", () => { this.#composing = true; });
        area.addEventListener("compositionend", () => { this.#composing = false; this.#begin(); });
        this.#describe();
      }
      if (globalThis.retrylabEditor) this.#take(globalThis.retrylabEditor);
      else load().then(() => this.#begin(), (err) => console.info("the plain field stays:", err.message));
    }

    // take puts CodeMirror in the place of the textarea, with its text, selection and focus.
    #take(create) {
      if (this.#composing) return; // compositionend comes back here
      const area = this.#area;
      const focused = this.contains(document.activeElement);
      this.#editor = create({
        ...this.#options(),
        root: this.shadowRoot,
        text: this.#text,
        from: area.selectionDirection === "backward" ? area.selectionEnd : area.selectionStart,
        to: area.selectionDirection === "backward" ? area.selectionStart : area.selectionEnd,
        describedBy: this.#told.id,
        fits,
        changed: (text, person) => {
          this.#text = area.value = text;
          if (person) this.#tell("input");
        },
        refused: () => this.#tell("toolong"),
      });
      const top = area.scrollTop;
      this.#slot.remove(); // nobody sees or reads the textarea any more
      area.focus = () => this.focus(); // whoever gives it the keyboard means the editor
      this.shadowRoot.prepend(this.#editor.dom);
      this.#told.className = "told aside";
      this.#editor.scrollTop = top;
      if (focused) this.#editor.focus();
    }

    #typed(event) {
      const text = this.#area.value;
      if (text.length > this.#text.length && !fits(text)) {
        event.stopImmediatePropagation();
        const at = Math.max(0, this.#area.selectionStart - (text.length - this.#text.length));
        this.#area.value = this.#text;
        this.#area.setSelectionRange(at, at);
        return this.#tell("toolong");
      }
      this.#text = text;
      // The page may carry a text over to a field that it has drawn anew.
      if (this.#editor) this.#editor.value = text;
    }

    // describe tells a screen reader on the textarea what CodeMirror points to.
    #describe() {
      const told = [...this.#told.children].map((p) => p.textContent).join(" ");
      if (told) this.#area?.setAttribute("aria-description", told);
      else this.#area?.removeAttribute("aria-description");
    }

    #key(event) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (event.key !== "Enter" && event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) this.#tell("run");
    }

    #tell(name) { this.dispatchEvent(new Event(name, { bubbles: true, composed: true })); }
  }

  customElements.define("code-editor", CodeEditor);
}
