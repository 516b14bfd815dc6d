/**
 * Where lines and bases come from: answers out of the picker's tree, or saved audiences. What is
 * chosen in both counts.
 */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { Coming } from "../../../shared/Coming";
import { Popover } from "../../../shared/Popover";
import { failureOf } from "../../../shared/requests";
import { QuestionTree } from "../../picker/QuestionTree";
import type { Selection } from "../../picker/selection";
import type { QuestionDesk } from "./desk";
import type { Chosen, SavedAudience } from "./protocol";
import { words } from "./strings";

/** More than these are looked for by name. */
const FEW = 8;

export interface PanelProps {
  desk: QuestionDesk;
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
}

/** Begins with nothing chosen. */
export function useChosen(): Signal<Chosen> {
  return useSignal<Chosen>({ picked: [], saved: [] });
}

/** How many answers a question has, for those that are picked whole. */
export function answersIn(desk: QuestionDesk): (question: string) => number {
  return (question) => desk.catalogue.peek()?.question(question)?.datapoints.codes.length ?? 0;
}

interface SourcesPanelProps extends PanelProps {
  label: string;
  chosen: Signal<Chosen>;
  above?: ComponentChildren;
  /** What is said between the list and the buttons. */
  below?: ComponentChildren;
  buttons: ComponentChildren;
  /** Ctrl+Enter. */
  onSubmit(): void;
}

export function SourcesPanel(props: SourcesPanelProps) {
  const { desk, anchor, onClose, label, chosen, above, below, buttons, onSubmit } = props;
  const source = useSignal<"questions" | "saved">("questions");
  useEffect(() => desk.load(), [desk]);
  return (
    <Popover anchor={anchor} onClose={onClose} label={label}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one more key for the fields inside */}
      <div
        class="al-question-panel"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          onSubmit();
        }}
      >
        <div class="al-bar al-question-head">
          <strong>{label}</strong>
          <span class="al-spacer" />
          <SourceSwitch source={source} saved={chosen.value.saved.length} />
        </div>
        {above}
        <div hidden={source.value !== "questions"}>
          <Questions desk={desk} chosen={chosen} />
        </div>
        {source.value === "saved" && <SavedList desk={desk} chosen={chosen} />}
        {below}
        {desk.trouble.value && <div class="al-error">{desk.trouble.value}</div>}
        <div class="al-bar al-question-end">
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

function Questions({ desk, chosen }: { desk: QuestionDesk; chosen: Signal<Chosen> }) {
  const selection = useSignal<Selection>(chosen.peek().picked);
  const catalogue = desk.catalogue.value;
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

function SavedList({ desk, chosen }: { desk: QuestionDesk; chosen: Signal<Chosen> }) {
  const found = useSignal<SavedAudience[] | null>(null);
  const sought = useSignal("");
  useEffect(() => {
    desk.saved().then(
      (listed) => {
        found.value = listed;
      },
      (error: unknown) => {
        desk.trouble.value = failureOf(error);
      },
    );
  }, [desk]);
  const all = found.value ?? [];
  const letters = sought.value.toLocaleLowerCase();
  const shown = all.filter(({ name }) => name.toLocaleLowerCase().includes(letters));
  const toggle = (id: string) => {
    const { saved, picked } = chosen.peek();
    const rest = saved.filter((each) => each !== id);
    chosen.value = { picked, saved: rest.length < saved.length ? rest : [...saved, id] };
  };
  return (
    <div class="al-question-list">
      {all.length > FEW && (
        <input
          type="search"
          class="al-input"
          aria-label={words.findSaved}
          placeholder={words.findSaved}
          value={sought.value}
          onInput={(event) => {
            sought.value = event.currentTarget.value;
          }}
        />
      )}
      {found.value === null && <div class="al-skeleton" />}
      {found.value !== null && shown.length === 0 && (
        <div class="al-quiet">{all.length === 0 ? words.noneSaved : words.noneFound}</div>
      )}
      {shown.map(({ id, name }) => (
        <label class="al-question-check" key={id}>
          <input
            type="checkbox"
            checked={chosen.value.saved.includes(id)}
            onChange={() => toggle(id)}
          />
          <span class="al-clip" title={name}>
            {name}
          </span>
        </label>
      ))}
    </div>
  );
}
