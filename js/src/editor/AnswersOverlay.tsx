/**
 * Edits the answers of one condition: a search box with a listbox, and the suffixes below. Every
 * tick is an edit at once, which undo reverts.
 */
import { useSignal } from "@preact/signals";
import type { CSSProperties } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { usePageId } from "../core/ids";
import { SEARCH_BOX, SEARCHED_LIST } from "../ui/combobox";
import { Choice } from "../ui/Field";
import { DidYouMean } from "../ui/FilterList";
import { listKey } from "../ui/keyboard";
import { filterItems } from "../ui/matching";
import { Popover, useBeginHere } from "../ui/Popover";
import { Tick } from "../ui/Tick";
import { Marked } from "../ui/text";
import { VirtualList } from "../ui/VirtualList";
import { useEditor } from "./context";
import { type LeafNode, locate, type NodeId } from "./document";
import { questionName } from "./labels";
import { useOverlay } from "./overlay";
import { words } from "./strings";
import type { QuestionInfo } from "./validation";

const MOST_ROWS = 8;

export function AnswersOverlay({ id }: { id: NodeId }) {
  const { state } = useEditor();
  const place = useOverlay("answers", id);
  const node = locate(state.document.value, id)?.node;
  if (!place || node?.kind !== "leaf") return null;
  const question = state.lookup.value?.(node.question);
  const title = questionName(node, question);
  return (
    <Popover
      anchor={place.anchor}
      from={place.from}
      onClose={place.close}
      label={words.editAnswers(title)}
    >
      <div class="al-editor-answers">
        <div class="al-bar">
          <strong class="al-clip" dir="auto">
            {title}
          </strong>
          <span class="al-code al-quiet">{node.question}</span>
        </div>
        {question ? (
          <>
            <AnswerList leaf={node} question={question} onDone={place.finish} />
            <Suffixes leaf={node} question={question} />
          </>
        ) : (
          <div class="al-empty">
            {state.catalogue.value
              ? words.faults.unknownQuestion(node.question)
              : words.loadingCatalogue}
          </div>
        )}
        <div class="al-bar al-editor-adding-end">
          <EveryAnswer leaf={node} />
          <span class="al-spacer" />
          <button type="button" class="al-button" onClick={place.finish}>
            {words.done}
          </button>
        </div>
      </div>
    </Popover>
  );
}

interface ListProps {
  leaf: LeafNode;
  question: QuestionInfo;
  onDone(): void;
}

function AnswerList({ leaf, question, onDone }: ListProps) {
  const { state, edits } = useEditor();
  const id = usePageId("answers");
  const input = useRef<HTMLInputElement>(null);
  const query = useSignal("");
  const active = useSignal(0);
  const { codes, names } = question.datapoints;
  const {
    items: found,
    words: typed,
    meant,
  } = useMemo(
    () =>
      filterItems([...codes.keys()], query.value, (at) => `${names[at] ?? ""}\n${codes[at] ?? ""}`),
    [codes, names, query.value],
  );
  const chosen = new Set(leaf.datapoints);
  useBeginHere(input);

  const toggle = (code: string) => {
    // The current answers: two fast key presses may come before the next render.
    const now = locate(state.document.peek(), leaf.id)?.node;
    const next = new Set(now?.kind === "leaf" ? now.datapoints : []);
    if (!next.delete(code)) next.add(code);
    // In the order of the catalogue, whatever the order of clicks; unknown codes keep their
    // positions.
    const known = codes.filter((each) => next.has(each));
    edits.setAnswers(leaf.id, [...known, ...[...next].filter((each) => !codes.includes(each))]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = active.peek();
    const moved = /^(Home|End)$/.test(event.key)
      ? null
      : listKey(event.key, { index: at, count: found.length, page: MOST_ROWS - 1 });
    const code = codes[found[at] ?? -1];
    if (moved !== null) active.value = moved;
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onDone();
    else if (event.key === "Enter" && code !== undefined) toggle(code);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const option = (index: number, style: CSSProperties) => {
    const at = found[index] ?? -1;
    const code = codes[at] ?? "";
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant replaces focus
      // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keys of all options
      <div
        id={`${id}-${at}`}
        role="option"
        class="al-list-row al-editor-option"
        style={style}
        data-active={index === active.value}
        aria-selected={chosen.has(code)}
        aria-posinset={index + 1}
        aria-setsize={found.length}
        title={names[at] || code}
        onClick={() => {
          active.value = index;
          toggle(code);
        }}
      >
        <Tick state={chosen.has(code) ? "all" : "none"} />
        <span class="al-clip" dir="auto">
          <Marked label={names[at] || code} words={typed} />
        </span>
        <span class="al-spacer" />
        <span class="al-code al-quiet">{code}</span>
      </div>
    );
  };
  return (
    <>
      <input
        {...SEARCH_BOX}
        ref={input}
        placeholder={words.findAnswer}
        aria-label={words.findAnswer}
        aria-haspopup="listbox"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${found[active.value]}` : undefined}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      {meant && (
        <DidYouMean
          meant={meant}
          onTake={() => {
            query.value = meant;
            input.current?.focus();
          }}
        />
      )}
      <VirtualList
        count={found.length}
        active={active.value}
        row={option}
        containerProps={{
          ...SEARCHED_LIST,
          id: `${id}-list`,
          class: "al-list al-editor-options",
          style: { "--rows": Math.min(MOST_ROWS, Math.max(1, codes.length)) },
          role: "listbox",
          "aria-label": words.answers,
        }}
      />
      {found.length === 0 && <div class="al-editor-none al-quiet">{words.noAnswerFound}</div>}
    </>
  );
}

function EveryAnswer({ leaf }: { leaf: LeafNode }) {
  const { edits } = useEditor();
  const every = leaf.datapoints === null && !leaf.numbers;
  return (
    <Choice checked={every} onChange={() => edits.setAnswers(leaf.id, every ? [] : null)}>
      {words.everyAnswer}
    </Choice>
  );
}

function Suffixes({ leaf, question }: { leaf: LeafNode; question: QuestionInfo }) {
  const { state, edits } = useEditor();
  const { codes, names } = question.suffixes;
  if (codes.length === 0) return null;
  const toggle = (code: string) => {
    const now = locate(state.document.peek(), leaf.id)?.node;
    const next = new Set(now?.kind === "leaf" ? now.suffixes : []);
    if (!next.delete(code)) next.add(code);
    edits.setSuffixes(
      leaf.id,
      codes.filter((each) => next.has(each)),
    );
  };
  return (
    <fieldset class="al-editor-suffix-list">
      <legend class="al-quiet">{words.suffixes}</legend>
      {codes.map((code, at) => (
        <Choice
          key={code}
          title={code}
          checked={leaf.suffixes.includes(code)}
          onChange={() => toggle(code)}
        >
          {names[at] || code}
        </Choice>
      ))}
    </fieldset>
  );
}
