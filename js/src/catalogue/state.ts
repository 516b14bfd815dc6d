/**
 * What one picker shows and does, apart from how it is drawn: query, facets, opened nodes, the
 * active row, and the actions behind keys and clicks. Only the selection is shared with other
 * views. What the keys mean is in `keys.ts`.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { createUndoStack, type Restored } from "../core/undo";
import { categoryState, foundBelow, offeredBelow, pickedBelow } from "./below";
import { type Chosen, type Facet, passing, toggleFacet } from "./facets";
import type { Catalogue, Coverage } from "./model";
import type { Recent } from "./recent";
import { type SearchResult, search, searchText } from "./search";
import {
  type CheckState,
  countMatches,
  hasAll,
  hasDatapoint,
  matchesOf,
  type PickerMode,
  pickedOf,
  questionState,
  type Selection,
  toggleDatapoint,
  toggleQuestion,
  withAll,
  withoutAll,
} from "./selection";
import { strings } from "./strings";
import { flatten, isSpread, outline, parentIndex, pathKeys, RECENT, type Row } from "./tree";

/** Root categories that are opened from the start. */
const FEW = 8;

/** Answers that may be picked at one stroke: more is a slip, and more than a table holds. */
const MOST = 10_000;

/** The number of answers picked at once from which the notice says how many. */
const MANY = 1_000;

export interface PickerInputs {
  catalogue: Catalogue;
  selection: ReadonlySignal<Selection>;
  mode: PickerMode;
  recent: Recent;
  /** `row` is what was ticked, if it was one row. */
  onSelect(next: Selection, row?: Row): void;
  /** A locked row was tried. */
  onLocked(question: number): void;
}

export type PickerState = ReturnType<typeof createPickerState>;

export function createPickerState(inputs: PickerInputs) {
  const { catalogue, selection, mode } = inputs;
  // As it was on opening: a list that grew under the pointer would move what is aimed at.
  const recent = inputs.recent.codes().map((code) => catalogue.indexOf(code));
  const tree = outline(
    catalogue,
    recent.filter((at) => at >= 0),
  );
  const text = searchText(catalogue);
  const query = signal("");
  const chosen = signal<Chosen>({});
  const coverage = signal<Coverage | null>(null);
  /** The row of what is picked already, at which the tree opens. */
  const start = pathKeys(tree, catalogue.indexOf(selection.peek()[0]?.question ?? ""));
  const opened = signal<ReadonlySet<string>>(
    new Set([...firstOpened(tree.roots), ...start.slice(0, -1)]),
  );
  const openedWhenSpread = signal<ReadonlySet<string>>(new Set());
  const activeKey = signal<string | null>(null);
  const history = createUndoStack(selection.peek());
  /** What one stroke did that is more than it may look like, or why it did nothing. */
  const notice = signal<string | null>(null);

  const allowed = computed(() => passing(catalogue, chosen.value, coverage.value));
  const found = computed(() => search(text, query.value, allowed.value));
  const spread = computed(() => isSpread(found.value));
  const rows = computed(() =>
    flatten(tree, spread.value ? openedWhenSpread.value : opened.value, found.value),
  );
  const active = computed(() => {
    const key = activeKey.value;
    return key === null ? -1 : rows.value.indexOf(key);
  });
  /** The question that the details are about. */
  const focused = computed(() => {
    const row = rows.value.at(active.value);
    return row && row.kind !== "category" ? row.question : -1;
  });
  /** How much one stroke would pick, and whether it is picked already; null for nothing. */
  const matches = computed(() => {
    if (!found.value) return null;
    const many = countMatches(catalogue, found.value, mode);
    const tooMany = many > MOST;
    const before = selection.value;
    // Nothing is compared letter by letter while everything matches.
    const picked =
      before.length > 0 &&
      !tooMany &&
      hasAll(before, catalogue, matchesOf(catalogue, found.value, mode));
    return many > 0 ? { many, tooMany, picked } : null;
  });

  const all = offeredBelow(catalogue, null, mode);
  const offered = computed(() => offeredBelow(catalogue, found.value, mode));
  const picked = computed(() => pickedBelow(catalogue, mode, selection.value));

  /** Writes the selection's changes down, whoever made them; to be run as an effect. */
  function follow(): void {
    // What undo and redo made comes back here too: it is no step of its own.
    history.record(selection.value);
  }

  /** Picks all of what was found, or lets go of it when all of it is picked. */
  function tickAll(result: SearchResult, row?: Row): void {
    const many = countMatches(catalogue, result, mode);
    notice.value = many > MOST ? strings.tooMany(many, mode === "question") : null;
    if (many === 0 || many > MOST) return;
    const before = selection.peek();
    const matched = matchesOf(catalogue, result, mode);
    const picked = hasAll(before, catalogue, matched);
    const change = picked ? withoutAll : withAll;
    inputs.onSelect(change(before, catalogue, matched), row);
    if (many < MANY) return;
    const say = picked ? strings.manyUnpicked : strings.manyPicked;
    notice.value = say(many, mode === "question");
  }

  function type(next: string): void {
    query.value = next;
    notice.value = null;
    openedWhenSpread.value = new Set();
    activeKey.value = null;
  }

  function choose(next: Chosen): void {
    chosen.value = next;
    notice.value = null;
    openedWhenSpread.value = new Set();
    activeKey.value = null;
  }

  function moveTo(index: number): void {
    activeKey.value = rows.peek().at(index)?.key ?? null;
  }

  function toggleOpen(row: Row): void {
    const set = spread.peek() ? openedWhenSpread : opened;
    const next = new Set(set.peek());
    if (!next.delete(row.key)) next.add(row.key);
    set.value = next;
  }

  function setOpen(row: Row, open: boolean): boolean {
    if (row.kind === "datapoint" || row.expanded === open) return false;
    toggleOpen(row);
    return true;
  }

  /** Ticks or unticks a question or datapoint, or all that may be picked below a category. */
  function tick(row: Row): void {
    if (row.kind === "category") {
      tickAll(foundBelow(tree, found.peek(), row.category), row);
      return;
    }
    notice.value = null;
    const question = catalogue.questions[row.question];
    if (!question?.accessible) {
      inputs.onLocked(row.question);
      return;
    }
    const before = selection.peek();
    const next =
      row.kind === "question" || mode === "question"
        ? toggleQuestion(before, catalogue, row.question, mode)
        : toggleDatapoint(before, catalogue, row.question, row.datapoint);
    if (next.length >= before.length) inputs.recent.remember(question.canonical);
    inputs.onSelect(next, row);
  }

  /** Picks everything that was found, or lets go of it. */
  function tickMatches(): void {
    const result = found.peek();
    if (result && matches.peek()) tickAll(result);
  }

  /** Shows a question where it stands, with nothing searched. */
  function reveal(question: number): void {
    if (!catalogue.questions[question]) return;
    chosen.value = {};
    type("");
    const keys = pathKeys(tree, question);
    opened.value = new Set([...opened.peek(), ...keys.slice(0, -1)]);
    activeKey.value = keys.at(-1) ?? null;
  }

  function stepTo(step: Restored<Selection> | null): void {
    if (!step) return;
    notice.value = null;
    inputs.onSelect(step.value);
  }

  /** How its box is ticked; null for a category without one. */
  function stateOf(row: Row): CheckState | null {
    if (row.kind === "category") {
      const { category } = row;
      // Of all of it, whatever was searched; but without a box where it would pick nothing.
      if (!offered.value[category]) return null;
      return categoryState(all[category] ?? 0, picked.value[category] ?? 0);
    }
    const entry = pickedOf(selection.value, catalogue, row.question);
    const question = catalogue.questions[row.question];
    if (!question) return "none";
    if (row.kind === "question") return questionState(entry, question);
    return hasDatapoint(entry, question.datapoints.codes[row.datapoint] ?? "") ? "all" : "none";
  }

  /** Right opens or goes in; left closes or goes out. */
  function sideways(key: "ArrowLeft" | "ArrowRight"): void {
    const row = rows.peek().at(active.peek());
    if (!row) return;
    if (key === "ArrowRight") {
      const opens = setOpen(row, true);
      if (!opens && row.kind !== "datapoint" && row.expanded) moveTo(active.peek() + 1);
    } else if (!setOpen(row, false)) {
      const parent = parentIndex(rows.peek(), active.peek());
      if (parent >= 0) moveTo(parent);
    }
  }

  return {
    catalogue,
    mode,
    query,
    chosen,
    coverage,
    found,
    rows,
    active,
    activeKey,
    start: rows.peek().indexOf(start.at(-1) ?? ""),
    focused,
    matches,
    notice,
    history,
    follow,
    /** Makes what the first typing error needs; it may take a tenth of a second. */
    prepare: () => void text.vocabulary(),
    type,
    choose,
    toggleFacet: (facet: Facet, value: string) => choose(toggleFacet(chosen.peek(), facet, value)),
    moveTo,
    toggleOpen,
    tick,
    tickMatches,
    reveal,
    undo: () => stepTo(history.undo()),
    redo: () => stepTo(history.redo()),
    stateOf,
    sideways,
  };
}

/** A few roots are opened: a closed tree is a click for nothing. */
function firstOpened(roots: number[]): ReadonlySet<string> {
  const few = roots.length <= FEW ? roots : [];
  return new Set([RECENT, ...few].map((root) => `c${root}`));
}
