/** Asks for the edges of bins of a question's numbers: "18, 35, 55". */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { QuestionForms } from "../../protocol";
import { Popover } from "../../ui/Popover";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

export function BinsPanel({
  editor,
  forms: { axis, question, name, edges },
  anchor,
  onClose,
}: PanelProps & { forms: QuestionForms }) {
  const text = useSignal((edges ?? []).join(", "));
  const input = useRef<HTMLInputElement>(null);
  // Before the next paint, or it would select text that was typed meanwhile.
  useLayoutEffect(() => input.current?.select(), []);
  const bins = edgesIn(text.value);
  const apply = async () => {
    if (!bins) return;
    if (await editor.edit({ do: "show_as", axis, question, form: "distribution", bins })) onClose();
  };
  return (
    <Popover anchor={anchor} onClose={onClose} label={name}>
      <div class="al-query-panel al-query-narrow">
        <div class="al-bar al-query-rename">
          <input
            ref={input}
            class="al-input"
            inputMode="decimal"
            aria-label={words.edges}
            aria-invalid={bins === null}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              // Not a form: JupyterLab suppresses submitting with Enter.
              if (event.key !== "Enter") return;
              event.preventDefault();
              event.stopPropagation();
              void apply();
            }}
          />
          <button
            type="button"
            class="al-button al-button-primary"
            disabled={bins === null}
            onClick={apply}
          >
            {words.apply}
          </button>
        </div>
        {editor.problem.value && <div class="al-error">{editor.problem.value}</div>}
      </div>
    </Popover>
  );
}

/** Rising numbers with commas, semicolons or blanks between them; null for anything else. */
export function edgesIn(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/u).filter(Boolean);
  const edges = parts.map(Number);
  const rises = edges.every(
    (edge, i) => Number.isFinite(edge) && edge > (edges[i - 1] ?? -Infinity),
  );
  return edges.length > 0 && rises ? edges : null;
}
