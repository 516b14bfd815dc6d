/**
 * The snippets that can be made from all selected questions: a click inserts one, and it can be
 * dragged.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "../../ui/icons";
import type { Kind } from "../snippets";
import { useSidebar } from "./context";
import { words } from "./strings";

const KINDS = [
  ["question", words.asStats],
  ["crosstab", words.asCrosstab],
  ["audience", words.asAudience],
] as const satisfies readonly (readonly [Kind, string])[];

export function ActionBar() {
  const { state, insert, copy, draggable } = useSidebar();
  const bar = useRef<HTMLDivElement>(null);
  const many = state.picked.value.length;
  const pieceOf = (kind: Kind, label: string) =>
    state.pickedPiece(kind, `${label}: ${words.pickedLabel(many)}`);
  const latest = useRef(pieceOf);
  latest.current = pieceOf;
  useLayoutEffect(() => {
    if (!bar.current) return;
    const ended = new AbortController();
    const at = (target: Element) => {
      const name = target.closest<HTMLElement>("[data-kind]")?.dataset.kind;
      const [kind, label] = KINDS.find(([each]) => each === name) ?? [];
      return kind ? latest.current(kind, label) : null;
    };
    draggable(bar.current, at, ended.signal);
    return () => ended.abort();
  }, [draggable]);
  return (
    <div ref={bar} class="al-sidebar-actions" role="toolbar" aria-label={words.pickedBar}>
      {many === 0 ? (
        <span class="al-quiet">{words.pickHint}</span>
      ) : (
        <>
          {KINDS.map(([kind, label]) => (
            <button
              key={kind}
              type="button"
              class="al-button"
              data-kind={kind}
              title={words.insertAs(words.whats[kind])}
              onClick={({ shiftKey: run }) => {
                const snippet = pieceOf(kind, label);
                if (snippet) void insert(snippet, { run });
              }}
            >
              {label}
            </button>
          ))}
          <IconButton
            icon="copy"
            label={words.copyCode}
            onClick={() => {
              const snippet = pieceOf("question", words.asStats);
              if (snippet) void copy(snippet);
            }}
          />
        </>
      )}
    </div>
  );
}
