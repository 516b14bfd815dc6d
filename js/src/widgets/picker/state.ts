/**
 * What one picker shows and does, apart from how it is drawn: query, opened nodes, the active
 * row, and the actions behind keys and clicks. Only the selection is shared with other views.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { isTyping, listKey } from "../../shared/keyboard";
import type { Catalogue } from "./catalogue";
import { search, searchText } from "./search";
import {
  type CheckState,
  hasDatapoint,
  type PickerMode,
  pickedOf,
  questionState,
  type Selection,
  toggleDatapoint,
  toggleQuestion,
} from "./selection";
import { flatten, outline, parentIndex, type Row } from "./tree";

/** Root categories that are opened from the start. */
const FEW = 8;

export interface PickerInputs {
  catalogue: Catalogue;
  selection: ReadonlySignal<Selection>;
  mode: PickerMode;
  onSelect(next: Selection, row: Row): void;
  /** A locked row was tried. */
  onLocked(question: number): void;
}

export type PickerState = ReturnType<typeof createPickerState>;

export function createPickerState(inputs: PickerInputs) {
  const { catalogue, selection, mode } = inputs;
  const tree = outline(catalogue);
  const text = searchText(catalogue);
  const query = signal("");
  const opened = signal<ReadonlySet<string>>(firstOpened(tree.roots));
  const openedInSearch = signal<ReadonlySet<string>>(new Set());
  const activeKey = signal<string | null>(null);

  const found = computed(() => search(text, query.value));
  const rows = computed(() =>
    flatten(tree, found.value ? openedInSearch.value : opened.value, found.value),
  );
  const active = computed(() => {
    const key = activeKey.value;
    return key === null ? -1 : rows.value.findIndex((row) => row.key === key);
  });
  /** The question that the details are about. */
  const focused = computed(() => {
    const row = rows.value[active.value];
    return row && row.kind !== "category" ? row.question : -1;
  });

  function type(next: string): void {
    query.value = next;
    openedInSearch.value = new Set();
    activeKey.value = null;
  }

  function moveTo(index: number): void {
    activeKey.value = rows.peek()[index]?.key ?? null;
  }

  function toggleOpen(row: Row): void {
    const set = found.peek() ? openedInSearch : opened;
    const next = new Set(set.peek());
    if (!next.delete(row.key)) next.add(row.key);
    set.value = next;
  }

  function setOpen(row: Row, open: boolean): boolean {
    if (row.kind === "datapoint" || row.expanded === open) return false;
    toggleOpen(row);
    return true;
  }

  /** Ticks or unticks a question or datapoint; opens or closes a category. */
  function choose(row: Row): void {
    if (row.kind === "category") {
      toggleOpen(row);
      return;
    }
    if (!catalogue.questions[row.question]?.accessible) {
      inputs.onLocked(row.question);
      return;
    }
    const before = selection.peek();
    const next =
      row.kind === "question" || mode === "question"
        ? toggleQuestion(before, catalogue, row.question, mode)
        : toggleDatapoint(before, catalogue, row.question, row.datapoint);
    inputs.onSelect(next, row);
  }

  function stateOf(row: Row): CheckState {
    if (row.kind === "category") return "none";
    const entry = pickedOf(selection.value, catalogue, row.question);
    const question = catalogue.questions[row.question];
    if (!question) return "none";
    if (row.kind === "question") return questionState(entry, question);
    return hasDatapoint(entry, question.datapoints.codes[row.datapoint] ?? "") ? "all" : "none";
  }

  /** Right opens or goes in; left closes or goes out. */
  function sideways(key: string): void {
    const row = rows.peek()[active.peek()];
    if (!row) return;
    if (key === "ArrowRight") {
      const opens = setOpen(row, true);
      if (!opens && row.kind !== "datapoint" && row.expanded) moveTo(active.peek() + 1);
    } else if (!setOpen(row, false)) {
      const parent = parentIndex(rows.peek(), active.peek());
      if (parent >= 0) moveTo(parent);
    }
  }

  /**
   * The keys of the search box. Up and down walk the tree from anywhere, Enter goes to the first
   * thing found; once a row is active, the other keys act on it until somebody types again.
   * Returns whether the key was used.
   */
  function press(event: KeyboardEvent, page: number): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const at = active.peek();
    const { key } = event;
    if (key === "Escape") {
      if (query.peek() === "") return false;
      type("");
      return true;
    }
    if (key === "ArrowUp" && at === 0) {
      activeKey.value = null;
      return true;
    }
    if (key === "Enter" && at < 0 && found.peek()) {
      moveTo(rows.peek().findIndex((row) => row.kind !== "category"));
      return true;
    }
    const vertical = key === "ArrowDown" || key === "ArrowUp" || key.startsWith("Page");
    if (at < 0 && !vertical) return false;
    const moved = listKey(key, { index: at, count: rows.peek().length, page });
    if (moved !== null) {
      moveTo(moved);
      return true;
    }
    return onRow(event, at);
  }

  function onRow(event: KeyboardEvent, at: number): boolean {
    const row = rows.peek()[at];
    if (!row) return false;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") sideways(event.key);
    else if (event.key === "Enter" || event.key === " ") choose(row);
    else {
      if (isTyping(event)) activeKey.value = null;
      return false;
    }
    return true;
  }

  return {
    catalogue,
    tree,
    mode,
    query,
    found,
    rows,
    active,
    activeKey,
    focused,
    type,
    moveTo,
    toggleOpen,
    choose,
    stateOf,
    press,
  };
}

/** A few roots are opened: a closed tree is a click for nothing. */
function firstOpened(roots: number[]): ReadonlySet<string> {
  return new Set(roots.length <= FEW ? roots.map((root) => `c${root}`) : []);
}
