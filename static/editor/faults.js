// faults.js marks the lines where something is wrong: a sign in the gutter, the line's background, and the message
// below the line. A screen reader has the messages from <code-editor>, so those in the text are not read out again.
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, WidgetType, gutter, gutterLineClass } from "@codemirror/view";

export const setFaults = StateEffect.define(); // an array of {line, message}

class Message extends WidgetType {
  constructor(text) { super(); this.text = text; }
  eq(other) { return other.text === this.text; }
  toDOM() {
    const box = document.createElement("div");
    box.className = "cm-fault-message";
    box.setAttribute("aria-hidden", "true");
    const text = document.createElement("span");
    text.textContent = this.text;
    box.append(text);
    return box;
  }
  ignoreEvent() { return false; }
}

class Sign extends GutterMarker {
  toDOM() { return document.createTextNode("!"); }
}
const sign = new (class extends Sign { elementClass = "cm-fault-sign"; })();
const number = new (class extends GutterMarker { elementClass = "cm-fault-number"; })();
const line = Decoration.line({ class: "cm-fault" });

function place(state, faults) {
  const byLine = new Map();
  for (const { line, message } of faults) {
    // A message about a line that is not there still has to be seen.
    const at = Math.min(Math.max(1, Math.trunc(line) || 1), state.doc.lines);
    byLine.set(at, [...(byLine.get(at) ?? []), message]);
  }
  const marks = [], signs = [], numbers = [];
  for (const at of [...byLine.keys()].sort((a, b) => a - b)) {
    const { from, to } = state.doc.line(at);
    marks.push(line.range(from));
    const text = byLine.get(at).filter(Boolean).join("\n");
    if (text) marks.push(Decoration.widget({ widget: new Message(text), block: true, side: 1 }).range(to));
    signs.push(sign.range(from));
    numbers.push(number.range(from));
  }
  return { marks: Decoration.set(marks, true), signs: RangeSet.of(signs), numbers: RangeSet.of(numbers) };
}

const none = { marks: Decoration.none, signs: RangeSet.empty, numbers: RangeSet.empty };

const field = StateField.define({
  create: () => none,
  update(value, tr) {
    if (tr.docChanged && value !== none) {
      value = { marks: value.marks.map(tr.changes), signs: value.signs.map(tr.changes), numbers: value.numbers.map(tr.changes) };
    }
    for (const effect of tr.effects) if (effect.is(setFaults)) value = effect.value.length ? place(tr.state, effect.value) : none;
    return value;
  },
  provide: (f) => [EditorView.decorations.from(f, (v) => v.marks), gutterLineClass.from(f, (v) => v.numbers)],
});

export const faults = [
  field,
  gutter({ class: "cm-faults", markers: (view) => view.state.field(field).signs, initialSpacer: () => sign }),
];
