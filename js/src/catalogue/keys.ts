/**
 * The keys of the search box. Up and Down move through the tree; Enter, and Down during a search,
 * go to the best match. Once a row is active, the other keys act on it until the user types again.
 */
import { isTyping, listKey } from "../ui/keyboard";
import { fitOf, folded, occurs } from "../ui/matching";
import { exactly, phraseOf, RANK } from "./search";
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
 * Moves to the best match: of the questions in the tree the one with the best rank, the first of
 * equals; where its answers made it match, to the one that has the words best.
 */
function toBest({ rows, found, catalogue, moveTo }: PickerState): void {
  const { matches, words = [] } = found.peek() ?? {};
  const isExact = exactly(phraseOf(words));
  const all = rows.peek();
  let best = { at: -1, cost: Number.POSITIVE_INFINITY };
  for (let at = 0; at < Math.min(all.length, MOST_COMPARED) && best.cost > 0; at++) {
    const row = all.at(at);
    if (!row || row.kind === "category") continue;
    const { rank = RANK.text, whole = true } = matches?.get(row.question) ?? {};
    // Less than the step between two ranks.
    let cost = rank;
    if (row.kind === "datapoint") {
      if (rank !== RANK.answer && whole) continue;
      const { names, codes } = catalogue.questions[row.question]?.datapoints ?? {};
      const label = folded(`${names?.[row.datapoint]}\n${codes?.[row.datapoint]}`);
      const own = words.filter((word) => occurs(label, word));
      cost += isExact(label) ? 0 : (1 + fitOf(label, own)) / 10;
    } else if (rank === RANK.answer || !whole) {
      // Its answers are better, unless they are collapsed.
      cost += 0.9;
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
