/**
 * The state of one picker: query, facets, open nodes, active row, and the actions of keys and
 * clicks. Only the selection is shared with other views. Keys are mapped in `keys.ts`.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Trait } from "../core/traits";
import { createUndoStack, type Restored } from "../core/undo";
import { categoryState, foundBelow, offeredBelow, pickedBelow } from "./below";
import { type Chosen, type Facet, passing, toggleFacet } from "./facets";
import type { Catalogue, QuestionWaves } from "./model";
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

/** Root categories that are open at the start. */
const FEW = 8;

/** Most answers selected at once: more is a mistake, and more than a table holds. */
const MOST = 10_000;

/** Answers selected at once from which the notice reports their number. */
const MANY = 1_000;

export interface PickerInputs {
  catalogue: Catalogue;
  selection: ReadonlySignal<Selection>;
  mode: PickerMode;
  recent: Recent;
  /** `row` is the row that was ticked, if it was one row. */
  onSelect(next: Selection, row?: Row): void;
  /** Calls back when another page changed the selection, see `Trait`. */
  onOthers?: Trait<Selection>["onOthers"] | undefined;
  /** A locked row was ticked. */
  onLocked(question: number): void;
}

export type PickerState = ReturnType<typeof createPickerState>;

export function createPickerState(inputs: PickerInputs) {
  const { catalogue, selection, mode } = inputs;
  // The list as it was on opening: a list that changes under the pointer causes wrong clicks.
  const recent = inputs.recent.codes().map((code) => catalogue.indexOf(code));
  const tree = outline(
    catalogue,
    recent.filter((at) => at >= 0),
  );
  const text = searchText(catalogue);
  const query = signal("");
  const chosen = signal<Chosen>({});
  const coverage = signal<QuestionWaves | null>(null);
  /** The first selected row, at which the tree opens. */
  const start = pathKeys(tree, catalogue.indexOf(selection.peek()[0]?.question ?? ""));
  const opened = signal<ReadonlySet<string>>(
    new Set([...firstOpened(tree.roots), ...start.slice(0, -1)]),
  );
  const openedWhenSpread = signal<ReadonlySet<string>>(new Set());
  const activeKey = signal<string | null>(null);
  const history = createUndoStack(selection.peek());
  inputs.onOthers?.((carry) => history.amend(carry));
  /** What a large selection did, or why it was refused. */
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
  /** The question shown in the details. */
  const focused = computed(() => {
    const row = rows.value.at(active.value);
    return row && row.kind !== "category" ? row.question : -1;
  });
  /** How much "select all" selects, and whether it is selected already; null for nothing. */
  const matches = computed(() => {
    if (!found.value) return null;
    const many = countMatches(catalogue, found.value, mode);
    const tooMany = many > MOST;
    const before = selection.value;
    // Without a query, nothing is highlighted.
    const picked =
      before.length > 0 &&
      !tooMany &&
      hasAll(before, catalogue, matchesOf(catalogue, found.value, mode));
    return many > 0 ? { many, tooMany, picked } : null;
  });

  const all = offeredBelow(catalogue, null, mode);
  const offered = computed(() => offeredBelow(catalogue, found.value, mode));
  const picked = computed(() => pickedBelow(catalogue, mode, selection.value));

  /** Records each change of the selection, including those from Python; runs as an effect. */
  function follow(): void {
    // Undo and redo change the selection too, but are not steps.
    history.record(selection.value);
  }

  /** Selects all matches, or deselects them when all are selected. */
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

  /** Toggles a question or datapoint, or all that can be selected below a category. */
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

  /** Selects all matches, or deselects them. */
  function tickMatches(): void {
    const result = found.peek();
    if (result && matches.peek()) tickAll(result);
  }

  /** Shows a question in the tree, without a search. */
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

  /** The state of a row's tick; null for a category without one. */
  function stateOf(row: Row): CheckState | null {
    if (row.kind === "category") {
      const { category } = row;
      // The tick is about all answers, but is hidden where ticking would select nothing.
      if (!offered.value[category]) return null;
      return categoryState(all[category] ?? 0, picked.value[category] ?? 0);
    }
    const entry = pickedOf(selection.value, catalogue, row.question);
    const question = catalogue.questions[row.question];
    if (!question) return "none";
    if (row.kind === "question") return questionState(entry, question);
    return hasDatapoint(entry, question.datapoints.codes[row.datapoint] ?? "") ? "all" : "none";
  }

  /** Right opens a row or enters it; Left closes a row or leaves it. */
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
    /** Prepares the correction of typing errors, which may take a tenth of a second. */
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

/** A few root categories start open, to save a click. */
function firstOpened(roots: number[]): ReadonlySet<string> {
  const few = roots.length <= FEW ? roots : [];
  return new Set([RECENT, ...few].map((root) => `c${root}`));
}
