/** The errors of a node with their fixes, or notes about its sizes. */
import { useComputed } from "@preact/signals";
import { Icon } from "../ui/icons";
import { useEditor } from "./context";
import type { EditorNode } from "./document";
import { describe } from "./labels";
import { narrowest, shown, warning } from "./sizes";
import { words } from "./strings";

export function NodeWarnings({ node }: { node: EditorNode }) {
  const { state, edits, measuring } = useEditor();
  // Of one node: most edits change no other node's errors.
  const faults = useComputed(() => state.faults.value.get(node.id)).value;
  if (faults) {
    const isHere = state.activeId.value === node.id;
    const tabIndex = isHere ? 0 : -1;
    return (
      <>
        {faults.map(({ code, sentence, fix }) => (
          // Every group starts empty, so that is a hint and not an error.
          <div
            key={code}
            class={`al-editor-remark ${code === "empty_group" ? "note" : "al-error"}`}
          >
            <Icon name={code === "empty_group" ? "info" : "warning"} />
            <span>{sentence}</span>
            {code === "empty_group" && (
              <button
                type="button"
                class="al-link"
                tabIndex={tabIndex}
                data-control
                onClick={() => {
                  state.activate(node.id);
                  state.overlay.value = { kind: "add", id: node.id };
                }}
              >
                {words.addCondition}
              </button>
            )}
            {fix && (
              <button
                type="button"
                class="al-link"
                tabIndex={tabIndex}
                data-control
                onClick={() => {
                  edits.fix(fix.edit);
                  state.focus(node.id);
                }}
              >
                {fix.label}
              </button>
            )}
          </div>
        ))}
      </>
    );
  }
  const found = shown(measuring.numbers.value, node);
  const said = found && !found.stale ? warning(found.measure) : null;
  const mixed = node.kind === "group" ? narrowest(measuring.numbers.value, node) : null;
  if (mixed && said?.level !== "alarm") {
    const name = describe(mixed.node, state.lookup.value);
    return (
      <div class="al-editor-remark caution">
        <Icon name="warning" />
        <span>{words.warnings.mixedWaves(name, mixed.waves, mixed.all)}</span>
      </div>
    );
  }
  // A wave in which all respondents were asked needs no note.
  const trivial = said?.code === "everybody" && node.kind === "leaf" && node.question === "waves";
  if (!said || trivial) return null;
  return (
    <div class={`al-editor-remark ${said.level}`}>
      <Icon name={said.level === "note" ? "info" : "warning"} />
      <span>{said.sentence}</span>
    </div>
  );
}
