/**
 * The keys of the search box. Up and down walk the tree from anywhere; Enter, and Down while
 * something is searched, go to the best match; once a row is active, the other keys act on it until somebody types again.
 */
import { isTyping, listKey } from "../ui/keyboard";
import { fitOf, folded, occurs } from "../ui/matching";
import type { PickerState } from "./state";

/** Does what a key means; `page` is the rows a page key moves. Returns whether it was used. */
export function pressKey(state: PickerState, event: KeyboardEvent, page: number): boolean {
  const { key } = event;
  // Ctrl+Enter is left to whoever shows the picker: in the editor it adds what was picked.
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

/** Rows among which the best match is looked for. */
const MOST_COMPARED = 2_000;

/**
 * To the row whose name has the words that were typed as whole words, else at the beginnings of
 * words, else anywhere; of two that are equally good to the question before the answer, and to the
 * first. Of an answer only the words matter that its question lacks, if it lacks any.
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
      // The words may be in its description, or in the names of its categories; of a question that
      // lacks some of them the answers are closed.
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
