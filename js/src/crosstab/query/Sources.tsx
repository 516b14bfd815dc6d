/** The source of rows, columns and bases: answers of questions, saved audiences, or both. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { QuestionTree } from "../../catalogue/QuestionTree";
import type { Selection } from "../../catalogue/selection";
import type { SavedAudienceRecord } from "../../protocol";
import { Coming } from "../../ui/Coming";
import { Choice } from "../../ui/Field";
import { FilterList } from "../../ui/FilterList";
import { Popover } from "../../ui/Popover";
import type { Chosen, GridRows } from "./protocol";
import type { QueryEditor } from "./queryEditor";
import { words } from "./strings";

export interface PanelProps {
  editor: QueryEditor;
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
}

/** Starts empty. */
export function useChosen(): Signal<Chosen> {
  return useSignal<Chosen>({ picked: [], saved: [] });
}

/** The number of rows of a whole question; those of a grid are points of each item, or items. */
export function answersIn(editor: QueryEditor): (question: string, grids: GridRows) => number {
  return (question, grids) => {
    const record = editor.catalogue.peek()?.question(question);
    const points = grids === "distribution" ? record?.suffixes.codes.length || 1 : 1;
    return (record?.datapoints.codes.length ?? 0) * points;
  };
}

interface SourcesPanelProps extends PanelProps {
  label: string;
  chosen: Signal<Chosen>;
  above?: ComponentChildren;
  /** Between the list and the buttons. */
  below?: ComponentChildren;
  buttons: ComponentChildren;
  /** Called on Ctrl+Enter. */
  onSubmit(): void;
}

export function SourcesPanel(props: SourcesPanelProps) {
  const { editor, anchor, onClose, label, chosen, above, below, buttons, onSubmit } = props;
  const source = useSignal<"questions" | "saved">("questions");
  useEffect(() => editor.load(), [editor]);
  return (
    <Popover anchor={anchor} onClose={onClose} label={label}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles one more key of the fields inside */}
      <div
        class="al-query-panel"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          onSubmit();
        }}
      >
        <div class="al-bar al-query-head">
          <strong>{label}</strong>
          <span class="al-spacer" />
          <SourceSwitch source={source} saved={chosen.value.saved.length} />
        </div>
        {above}
        <div hidden={source.value !== "questions"}>
          <Questions editor={editor} chosen={chosen} />
        </div>
        {source.value === "saved" && <SavedList editor={editor} chosen={chosen} />}
        {below}
        {editor.problem.value && <div class="al-error">{editor.problem.value}</div>}
        <div class="al-bar al-query-end">
          <span class="al-spacer" />
          {buttons}
        </div>
      </div>
    </Popover>
  );
}

function SourceSwitch({ source, saved }: { source: Signal<"questions" | "saved">; saved: number }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame of its own
    <span class="al-segmented" role="group" aria-label={words.sources}>
      {(["questions", "saved"] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={source.value === each}
          onClick={() => {
            source.value = each;
          }}
        >
          {words[each]}
          {each === "saved" && saved > 0 && ` (${saved})`}
        </button>
      ))}
    </span>
  );
}

function Questions({ editor, chosen }: { editor: QueryEditor; chosen: Signal<Chosen> }) {
  const selection = useSignal<Selection>(chosen.peek().picked);
  const catalogue = editor.catalogue.value;
  if (!catalogue) return <Coming>{words.loading}</Coming>;
  return (
    <QuestionTree
      catalogue={catalogue}
      selection={selection}
      onSelect={(next) => {
        selection.value = next;
        chosen.value = { ...chosen.peek(), picked: next };
      }}
    />
  );
}

function SavedList({ editor, chosen }: { editor: QueryEditor; chosen: Signal<Chosen> }) {
  const found = useSignal<readonly SavedAudienceRecord[] | null>(null);
  useEffect(() => {
    editor.saved().then((listed) => {
      found.value = listed;
    }, editor.fail);
  }, [editor]);
  const toggle = (id: string) => {
    const { saved, picked } = chosen.peek();
    const rest = saved.filter((each) => each !== id);
    chosen.value = { picked, saved: rest.length < saved.length ? rest : [...saved, id] };
  };
  return (
    <div class="al-query-list">
      <FilterList
        items={found.value}
        textOf={({ name }) => name}
        label={words.findSaved}
        none={words.noneSaved}
      >
        {(shown) =>
          shown.map(({ id, name }) => (
            <Choice
              key={id}
              title={name}
              checked={chosen.value.saved.includes(id)}
              onChange={() => toggle(id)}
            >
              <span class="al-clip">{name}</span>
            </Choice>
          ))
        }
      </FilterList>
    </div>
  );
}
