// editor.js puts CodeMirror together for <code-editor> (static/code-editor.js), which fetches it when a page has such
// an element.
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { javascriptLanguage } from "@codemirror/lang-javascript";
import { pythonLanguage } from "@codemirror/lang-python";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { faults, setFaults } from "./faults.js";
import { colours, look } from "./look.js";

// Whole programs in one language, without the completions that come with the languages' own extensions.
const languages = {
  python: [pythonLanguage, indentUnit.of("    "), EditorState.tabSize.of(4)],
  javascript: [javascriptLanguage, indentUnit.of("  "), EditorState.tabSize.of(2)],
  yaml: [yamlLanguage, indentUnit.of("  "), EditorState.tabSize.of(2)],
};

// Characters that cannot be seen show as a dot with their number.
const specials = highlightSpecialChars({
  render: (code) => {
    const dot = document.createElement("span");
    dot.className = "cm-specialChar";
    dot.textContent = "·";
    dot.title = "U+" + code.toString(16).toUpperCase().padStart(4, "0");
    return dot;
  },
});

// Where a selection is replaced, a browser keeps its look by an inline style, which the page's policy forbids. So
// this is not left to the browser.
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (view.state.selection.main.empty || event.isComposing || !event.cancelable) return false;
    let text = "";
    if (event.inputType === "insertText" && event.data !== null) text = event.data;
    else if (!event.inputType.startsWith("deleteContent")) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(text), { userEvent: text ? "input.type" : "delete.selection", scrollIntoView: true });
    return true;
  },
});

globalThis.retrylabEditor = (options) => {
  const { root, text, from, to, describedBy, fits, changed, refused } = options;
  const language = new Compartment(), tab = new Compartment(), name = new Compartment();
  let program = false; // whether the page changes the text, not the person

  const inLanguage = (o) => languages[o.language] ?? [];
  const onTab = (o) => keymap.of(o.tabIndents ? [indentWithTab] : []);
  const named = (o) => EditorView.contentAttributes.of({ "aria-label": o.label, "aria-describedby": describedBy, tabindex: "0" });

  const view = new EditorView({
    root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: from, head: to },
      extensions: [
        lineNumbers(), faults, specials, replacing, history(), indentOnInput(), bracketMatching(), highlightActiveLine(),
        syntaxHighlighting(colours), look,
        language.of(inLanguage(options)), tab.of(onTab(options)), name.of(named(options)),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorState.lineSeparator.of("\n"),
        EditorState.transactionFilter.of((tr) => {
          if (!tr.docChanged || tr.newDoc.length <= tr.startState.doc.length || fits(tr.newDoc.toString())) return tr;
          queueMicrotask(refused);
          return [];
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString(), !program);
        }),
      ],
    }),
  });
  // The browser's own input event comes before the state has the change: the page hears of ours only.
  for (const event of ["input", "beforeinput"]) view.dom.addEventListener(event, (e) => e.stopPropagation());

  const set = (o) => view.dispatch({
    effects: [language.reconfigure(inLanguage(o)), tab.reconfigure(onTab(o)), name.reconfigure(named(o)), setFaults.of(o.marks)],
  });
  set(options);

  return {
    dom: view.dom,
    set,
    focus: () => view.focus(),
    // goTo puts the cursor at an offset and shows it in the middle of what is seen.
    goTo(offset) {
      const anchor = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    destroy: () => view.destroy(),
    set scrollTop(top) { view.scrollDOM.scrollTop = top; },
    get value() { return view.state.doc.toString(); },
    // Only what differs is replaced, so that the cursor and the marks stay where they are; it is one step of undo.
    set value(next) {
      const now = view.state.doc.toString();
      if (next === now) return;
      let start = 0, end = 0;
      while (start < Math.min(now.length, next.length) && now[start] === next[start]) start++;
      while (end < Math.min(now.length, next.length) - start && now.at(-1 - end) === next.at(-1 - end)) end++;
      program = true;
      try {
        view.dispatch({
          changes: { from: start, to: now.length - end, insert: next.slice(start, next.length - end) },
          annotations: isolateHistory.of("full"),
        });
      } finally {
        program = false;
      }
    },
  };
};
