/**
 * The selected questions as chips in their order: each shows its question in the tree, has a menu
 * of suffixes, and can be moved or removed, by pointer or keyboard.
 */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dragQuestions } from "../catalogue/dragging";
import type { QuestionRecord } from "../catalogue/model";
import { moved, type Picked, type Selection, toggleSuffix, without } from "../catalogue/selection";
import type { PickerState } from "../catalogue/state";
import { strings } from "../catalogue/strings";
import { useHost } from "../ui/host";
import { Icon, IconButton } from "../ui/icons";
import { Popover, usePopover } from "../ui/Popover";
import { firstWords } from "../ui/text";

/** Most chips shown; the rest is a count. */
const MOST = 60;

/** Letters of a tooltip, which screen readers read out as well. */
const MOST_IN_TITLE = 300;

/** Keys that move a chip towards the front or the end. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
};

interface ChipsProps {
  state: PickerState;
  selection: Selection;
  onSelect(next: Selection): void;
}

export function Chips({ state, selection, onSelect }: ChipsProps) {
  const { announce, root } = useHost();
  const { catalogue, mode } = state;
  const list = useRef<HTMLUListElement>(null);
  // A moved chip is rendered as a new element; the focus follows it.
  const focusNext = useRef(-1);
  useLayoutEffect(() => {
    if (focusNext.current < 0) return;
    // If it moved beyond the visible chips, the last of these gets the focus.
    const at = Math.min(focusNext.current, MOST - 1);
    list.current?.children[at]?.querySelector("button")?.focus();
    focusNext.current = -1;
  }, [selection]);

  const nameOf = ({ question }: Picked) => catalogue.question(question)?.name ?? question;
  const move = (from: number, to: number) => {
    const next = moved(selection, from, to);
    const entry = selection[from];
    if (next === selection || !entry) return;
    focusNext.current = next.indexOf(entry);
    onSelect(next);
    announce(strings.movedTo(nameOf(entry), next.indexOf(entry) + 1, next.length));
  };
  const remove = (at: number) => {
    focusNext.current = Math.min(at, selection.length - 2);
    // Removing the last chip removes the tray.
    if (selection.length === 1) focusSearch(root);
    onSelect(without(selection, selection[at]));
  };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const step = event.altKey ? STEPS[event.key] : undefined;
    if (step !== undefined) move(at, at + step);
    else if (event.key === "Delete" || event.key === "Backspace") remove(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const dragging = useDragging(move);

  return (
    <ul
      ref={list}
      class="al-picker-chips"
      aria-label={mode === "audience" ? strings.allApply : strings.pickedList}
    >
      {selection.slice(0, MOST).map((entry, at) => (
        <li key={entry.question} class="al-chip" {...dragging(at, entry, nameOf(entry))}>
          <Chip
            entry={entry}
            question={catalogue.question(entry.question)}
            onShow={() => state.reveal(catalogue.indexOf(entry.question))}
            onKeyDown={(event) => onKeyDown(event, at)}
            onSuffix={(suffix, order) => onSelect(toggleSuffix(selection, entry, suffix, order))}
            onRemove={() => remove(at)}
          />
        </li>
      ))}
      {selection.length > MOST && <li class="al-quiet">{strings.more(selection.length - MOST)}</li>}
    </ul>
  );
}

/** Properties that make the elements of a list sortable by dragging. */
function useDragging(move: (from: number, to: number) => void) {
  const dragged = useSignal(-1);
  const over = useSignal(-1);
  return (at: number, entry: Picked, name: string) => ({
    draggable: true,
    "data-dragged": dragged.value === at,
    "data-over": over.value === at && dragged.value !== at,
    "data-after": over.value > dragged.value,
    onDragStart(event: DragEvent) {
      dragged.value = at;
      dragQuestions(event, [entry], name);
      event.stopPropagation();
    },
    onDragOver(event: DragEvent) {
      // Drags from elsewhere are rejected.
      if (dragged.peek() < 0) return;
      event.preventDefault();
      over.value = at;
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      event.stopPropagation();
      move(dragged.peek(), at);
    },
    onDragEnd() {
      dragged.value = -1;
      over.value = -1;
    },
  });
}

interface ChipProps {
  entry: Picked;
  question: QuestionRecord | undefined;
  onShow(): void;
  onKeyDown(event: KeyboardEvent): void;
  onSuffix(suffix: string, order: readonly string[]): void;
  onRemove(): void;
}

function Chip({ entry, question, onShow, onKeyDown, onSuffix, onRemove }: ChipProps) {
  const name = question?.name ?? entry.question;
  return (
    <>
      <button
        type="button"
        class="al-picker-chip al-clip"
        title={firstWords(fullText(entry, question), MOST_IN_TITLE)}
        aria-description={strings.moveHint}
        onClick={onShow}
        onKeyDown={onKeyDown}
      >
        <bdi class="al-picker-chip-name">{name}</bdi>{" "}
        <span class="al-quiet">{answersText(entry, question)}</span>
      </button>
      <SuffixButton entry={entry} question={question} onSuffix={onSuffix} />
      <IconButton icon="close" label={strings.remove(name)} onClick={onRemove} />
    </>
  );
}

/** Where the focus goes when its element is removed. */
export function focusSearch(root: HTMLElement): void {
  root.querySelector<HTMLElement>("[role=combobox]")?.focus({ preventScroll: true });
}

/** A few names, or their number: a chip has one line. */
function answersText(entry: Picked, question: QuestionRecord | undefined): string {
  if (!question) return strings.unknown;
  const all = question.datapoints.codes.length;
  const picked = entry.datapoints.length;
  if (picked === 0 || picked === all) return strings.allAnswers(all);
  if (picked > 3) return strings.someAnswers(picked, all);
  return namesOf(entry.datapoints, question).join(", ");
}

function fullText(entry: Picked, question: QuestionRecord | undefined): string {
  if (!question) return entry.question;
  const names = namesOf(entry.datapoints, question);
  return `${question.name} (${question.code}): ${names.join(", ") || strings.allAnswers(0)}`;
}

function namesOf(codes: readonly string[], { datapoints }: QuestionRecord): string[] {
  return codes.map((code) => datapoints.names[datapoints.codes.indexOf(code)] || code);
}

interface SuffixButtonProps {
  entry: Picked;
  question: QuestionRecord | undefined;
  onSuffix(suffix: string, order: readonly string[]): void;
}

/** The suffixes that apply to the answers of a question; empty where it has none. */
function SuffixButton({ entry, question, onSuffix }: SuffixButtonProps) {
  const { isOpen, opener, panel } = usePopover();
  if (!question?.suffixes.codes.length) return null;
  const { codes, names } = question.suffixes;
  const chosen = entry.suffixes.map((code) => names[codes.indexOf(code)] || code);
  const text = chosen.join(", ") || strings.anySuffix;
  return (
    <>
      <button
        type="button"
        class="al-picker-suffix-button"
        aria-label={`${strings.suffixesOf(question.name)}: ${firstWords(text)}`}
        {...opener}
      >
        <span class="al-clip">{text}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <Popover label={strings.suffixesOf(question.name)} {...panel}>
          <fieldset class="al-picker-choices">
            <legend class="al-quiet">{strings.suffixes}</legend>
            {codes.map((code, at) => (
              <label key={code} class="al-menu-item">
                <input
                  type="checkbox"
                  checked={entry.suffixes.includes(code)}
                  onChange={() => onSuffix(code, codes)}
                />
                {names[at] || code}
              </label>
            ))}
          </fieldset>
        </Popover>
      )}
    </>
  );
}
