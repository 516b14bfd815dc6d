/**
 * The search box and the tree that it controls: a combobox whose popup is always open. The keyboard
 * focus stays in the box, and aria-activedescendant names the active row, so that focus is not lost
 * when a row scrolls out of view. Used by the picker and, inside popovers, by the editor and the
 * crosstab.
 */
import "./catalogue.css";
import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { usePageId } from "../core/ids";
import { SEARCH_BOX, SEARCHED_LIST } from "../ui/combobox";
import { DidYouMean } from "../ui/FilterList";
import { useHost } from "../ui/host";
import { Icon, IconButton } from "../ui/icons";
import { KeyHelp } from "../ui/KeyHelp";
import { keysFor } from "../ui/keyboard";
import { rowHeightIn } from "../ui/lines";
import { useBeginHere } from "../ui/Popover";
import { VirtualList } from "../ui/VirtualList";
import { ChosenFacets, FilterButton } from "./FilterButton";
import { asksForHelp, pressKey } from "./keys";
import type { Catalogue } from "./model";
import { type Recent, recentQuestions } from "./recent";
import type { PickerMode, Selection } from "./selection";
import { createPickerState, type PickerState } from "./state";
import { strings } from "./strings";
import { rowId, TreeRow } from "./TreeRow";
import type { Row } from "./tree";

/** Milliseconds to wait before preparing the search for corrections. */
const PREPARE_AFTER = 500;

export interface QuestionTreeProps {
  catalogue: Catalogue;
  selection: ReadonlySignal<Selection>;
  mode?: PickerMode;
  onSelect(next: Selection, row?: Row): void;
  onLocked?(question: number): void;
}

/** The tree with its own state, for callers that need nothing else. */
export function QuestionTree(props: QuestionTreeProps) {
  const { catalogue, selection, mode = "datapoints" } = props;
  const latest = useRef(props);
  latest.current = props;
  const recent = useRecent();
  const state = useMemo(
    () =>
      createPickerState({
        catalogue,
        selection,
        mode,
        recent,
        onSelect: (next, row) => latest.current.onSelect(next, row),
        onLocked: (question) => latest.current.onLocked?.(question),
      }),
    [catalogue, selection, mode, recent],
  );
  return <TreeView state={state} />;
}

/** The recently picked questions that this browser remembers. */
export function useRecent(): Recent {
  const { root } = useHost();
  return useMemo(() => recentQuestions(() => root.ownerDocument.defaultView?.localStorage), [root]);
}

interface TreeViewProps {
  state: PickerState;
  /** Buttons at the end of the search bar. */
  children?: ComponentChildren;
}

export function TreeView({ state, children }: TreeViewProps) {
  const id = usePageId("questions");
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const helping = useSignal(false);
  useBeginHere(input);
  useSignalEffect(state.follow);
  useEffect(() => {
    const timer = setTimeout(state.prepare, PREPARE_AFTER);
    return () => clearTimeout(timer);
  }, [state]);
  const { rows, active, found } = state;
  const page = () =>
    Math.max(1, Math.floor((list.current?.clientHeight ?? 240) / rowHeightIn(list.current)) - 1);
  const { words = [], meant = "" } = found.value ?? {};
  const current = rows.value.at(active.value);
  const toBox = () => input.current?.focus({ preventScroll: true });

  return (
    <div class="al-picker-main">
      <div class="al-search al-picker-search">
        <Icon name="search" />
        <input
          {...SEARCH_BOX}
          ref={input}
          placeholder={strings.search}
          aria-label={strings.search}
          aria-haspopup="tree"
          aria-autocomplete="list"
          aria-controls={`${id}-tree`}
          aria-activedescendant={current ? rowId(id, current) : undefined}
          value={state.query.value}
          onInput={(event) => state.type(event.currentTarget.value)}
          onKeyDown={(event) => {
            const help = asksForHelp(state, event);
            if (help) helping.value = true;
            if (!help && !pressKey(state, event, page())) return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        {state.query.value && (
          <IconButton
            icon="close"
            label={strings.clearSearch}
            onClick={() => {
              state.type("");
              toBox();
            }}
          />
        )}
        <FilterButton state={state} />
        {children}
        <KeyHelp label={strings.help} keys={strings.keys} open={helping} from={input} />
      </div>
      <div class="al-picker-found">
        <span class="al-quiet" role="status">
          {summary(state)}
        </span>
        {meant && (
          <DidYouMean
            meant={meant}
            onTake={() => {
              state.type(meant);
              toBox();
            }}
          />
        )}
        <PickMatches state={state} />
        <Notice state={state} />
        <ChosenFacets state={state} onDrop={toBox} />
      </div>
      <VirtualList
        count={rows.value.length}
        active={active.value}
        start={state.start}
        containerRef={list}
        containerProps={{
          ...SEARCHED_LIST,
          id: `${id}-tree`,
          class: "al-list al-picker-tree",
          role: "tree",
          "aria-label": strings.tree,
        }}
        row={(index, style) => {
          const row = rows.value.at(index);
          return (
            row && (
              <TreeRow
                state={state}
                row={row}
                id={rowId(id, row)}
                active={index === active.value}
                words={words}
                style={style}
                onPress={toBox}
              />
            )
          );
        }}
      />
      {rows.value.length === 0 && (
        <div class="al-empty">
          {found.value ? strings.nothing(state.query.value.trim()) : strings.noQuestions}
        </div>
      )}
    </div>
  );
}

function summary({ found, catalogue, query }: PickerState): string {
  const result = found.value;
  if (!result) return strings.all(catalogue.questions.length, catalogue.datapointCount);
  if (result.meant) return strings.noExact(query.value.trim());
  if (result.some) return strings.some(result.questions, query.value.trim());
  return strings.found(result.questions, result.datapoints);
}

/** Reports a selection of thousands of answers while it is easy to undo. */
function Notice({ state }: { state: PickerState }) {
  const { value } = state.notice;
  return (
    <span role="status" class="al-picker-notice">
      {value}
    </span>
  );
}

/** Selects all matches, or deselects them. */
function PickMatches({ state }: { state: PickerState }) {
  const offered = state.matches.value;
  if (!offered) return null;
  const { many, picked, tooMany } = offered;
  const ofQuestions = state.mode === "question";
  const label = picked ? strings.unpickMatches : strings.pickMatches;
  return (
    <button
      type="button"
      class="al-link"
      aria-disabled={tooMany}
      title={tooMany ? strings.tooMany(many, ofQuestions) : keysFor(strings.pickHint)}
      onClick={state.tickMatches}
    >
      {label(many, ofQuestions)}
    </button>
  );
}
