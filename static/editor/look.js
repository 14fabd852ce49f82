// look.js gives CodeMirror the look of static/look.css: its custom properties reach into the shadow root, so light
// and dark, and a change between them, need nothing here.
import { EditorView } from "@codemirror/view";
import { HighlightStyle } from "@codemirror/language";
import { tags as t } from "@lezer/highlight";

// As .code has it: weight for the words of the language, ink for names, two colours for what is given.
export const colours = HighlightStyle.define([
  { tag: [t.keyword, t.operatorKeyword, t.self], fontWeight: "700" },
  { tag: [t.string, t.special(t.string), t.regexp, t.character], color: "var(--done)" },
  { tag: [t.number, t.bool, t.null, t.atom], color: "var(--leased)" },
  { tag: [t.definition(t.variableName), t.function(t.definition(t.variableName)), t.definition(t.propertyName), t.definition(t.className)], color: "var(--link)" },
  { tag: [t.comment, t.docString, t.meta], color: "var(--ink-2)", fontStyle: "italic" },
  { tag: t.invalid, textDecoration: "underline wavy var(--shu)" },
]);

export const look = EditorView.theme({
  "&": { background: "var(--sheet)", color: "var(--ink)", border: "var(--line)", borderRadius: "var(--r)", fontSize: "var(--t-s)", maxHeight: "min(40rem, 75vh)", boxSizing: "border-box" },
  "&:hover": { borderColor: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "2px" },
  ".cm-scroller": { overflow: "auto", font: "400 var(--t-s)/1.65 var(--mono)", minHeight: "12rem" },
  ".cm-content, .cm-gutter": { minHeight: "12rem" }, // a click below the last line is one into the text
  ".cm-content": { padding: "var(--s2) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--s4) 0 var(--s2)" },
  ".cm-content ::selection, .cm-line::selection": { background: "var(--mark)", color: "var(--ink)" },
  ".cm-gutters": { background: "var(--sheet)", color: "var(--ink-2)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2rem", padding: "0 var(--s1) 0 var(--s2)" },
  ".cm-faults .cm-gutterElement": { width: "1ch", textAlign: "center" },
  ".cm-activeLine": { background: "none" },
  "&.cm-focused .cm-activeLine": { background: "color-mix(in srgb, var(--wash) 60%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { background: "none", outline: "1px solid var(--edge)" },
  "&.cm-focused .cm-nonmatchingBracket": { background: "none", outline: "1px solid var(--shu)" },
  ".cm-specialChar": { color: "var(--shu)" },
  ".cm-fault, &.cm-focused .cm-fault": { background: "var(--shu-w)" },
  ".cm-fault-sign, .cm-fault-number": { color: "var(--shu)", fontWeight: "700" },
  ".cm-fault-message": { background: "var(--shu-w)", color: "var(--shu)", font: "400 var(--t-s)/1.5 var(--sans)", padding: "0 var(--s4) var(--s1) var(--s2)" },
  ".cm-fault-message span": { display: "block", position: "sticky", left: "var(--s7)", width: "fit-content", maxWidth: "min(34rem, 100cqi - 4.5rem)", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
});
