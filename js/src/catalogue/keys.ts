/**
 * The keys of the search box. Up and Down move through the tree; Enter, and Down during a search,
 * go to the best match. Once a row is active, the other keys act on it until the user types again.
 */
import { isTyping, listKey } from "../ui/keyboard";
import { fitOf, folded, occurs } from "../ui/matching";
import type { PickerState } from "./state";

/**
 * Handles a key; `page` is the number of rows that a page key moves. Returns whether it was used.
 */
export function pressKey(state: PickerState, event: KeyboardEvent, page: number): boolean {
  const { key } = event;
  // Ctrl+Enter belongs to the widget around the picker: the editor adds the selected questions with
  // it.
  if (event.altKey) return key === "Enter" && used(state.tickMatches);
  if (event.ctrlKey || event.metaKey) return false;
  const at = state.active.peek();
  if (key === "Escape") return state.query.peek() !== "" && used(() => state.type(""));
  if (key === "ArrowUp" && at === 0) return used(() => state.moveTo(-1));
  const goes = key === "Enter" || (key === "ArrowDown" && state.query.peek().trim() !== "");
  if (goes && at < 0 && state.found.peek()) return used(() => toBest(state));
  const vertical = key === "ArrowDown" || key === "ArrowUp" || key.startsWith("Page");
  if (at < 0 && !vertical) return false;
  const moved = listKey(key, { index: at, count: state.rows.peek().length, page });
  return moved === null ? onRow(state, event) : used(() => state.moveTo(moved));
}

/** Whether the key asks for help: a question mark that is not part of a search. */
export function asksForHelp(state: PickerState, event: KeyboardEvent): boolean {
  return event.key === "?" && (state.query.peek() === "" || state.active.peek() >= 0);
}

/** Rows that are compared to find the best match. */
const MOST_COMPARED = 2_000;

/**
 * Moves to the best match: a name that has the typed words as whole words, else at the beginnings
 * of words, else anywhere. A question wins over its answers, then the first row wins. For an
 * answer, only the words count that its question lacks, if it lacks any.
 */
function toBest({ rows, found, catalogue, moveTo }: PickerState): void {
  const { matches, words = [] } = found.peek() ?? {};
  let best = { at: -1, cost: Number.POSITIVE_INFINITY };
  const all = rows.peek();
  for (let at = 0; at < Math.min(all.length, MOST_COMPARED) && best.cost > 0; at++) {
    const row = all.at(at);
    if (!row || row.kind === "category") continue;
    const question = catalogue.questions[row.question];
    const name = `${question?.name}\n${question?.code}`;
    const isWhole = matches?.get(row.question)?.whole;
    let cost: number;
    if (row.kind === "question") {
      // The words may be in the question's description or categories; where the question lacks some
      // of them, its answers are collapsed.
      cost = isWhole ? Math.min(2 * fitOf(name, words), 4) : 6;
    } else {
      const label = `${question?.datapoints.names[row.datapoint]}\n${question?.datapoints.codes[row.datapoint]}`;
      const own = words.filter((word) => occurs(folded(label), word));
      cost = 2 * fitOf(label, own) + 1;
    }
    if (cost < best.cost) best = { at, cost };
  }
  moveTo(best.at);
}

function onRow(state: PickerState, event: KeyboardEvent): boolean {
  const row = state.rows.peek().at(state.active.peek());
  if (!row) return false;
  const { key } = event;
  if (key === "ArrowRight" || key === "ArrowLeft") return used(() => state.sideways(key));
  if (key === "Enter" && row.kind === "category") return used(() => state.toggleOpen(row));
  if (key === "Enter" || key === " ") return used(() => state.tick(row));
  if (isTyping(event)) state.activeKey.value = null;
  return false;
}

function used(act: () => void): true {
  act();
  return true;
}
