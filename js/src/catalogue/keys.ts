/**
 * The keys of the search box. Up and down walk the tree from anywhere, Enter goes to the first
 * match; once a row is active, the other keys act on it until somebody types again.
 */
import { isTyping, listKey } from "../ui/keyboard";
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
  if (key === "Enter" && at < 0 && state.found.peek()) return used(() => toFirst(state));
  const vertical = key === "ArrowDown" || key === "ArrowUp" || key.startsWith("Page");
  if (at < 0 && !vertical) return false;
  const moved = listKey(key, { index: at, count: state.rows.peek().length, page });
  return moved === null ? onRow(state, event) : used(() => state.moveTo(moved));
}

/** Whether the key asks for help: a question mark that is not part of a search. */
export function asksForHelp(state: PickerState, event: KeyboardEvent): boolean {
  return event.key === "?" && (state.query.peek() === "" || state.active.peek() >= 0);
}

/**
 * To the first question that has every word itself; where none has, to the first answer that has
 * those which its question lacks.
 */
function toFirst({ rows, found, moveTo }: PickerState): void {
  // Of one that somebody closed no answer is shown.
  let [question, answer] = [-1, -1];
  let at = 0;
  for (const row of rows.peek()) {
    const isWhole = row.kind !== "category" && found.peek()?.matches.get(row.question)?.whole;
    if (row.kind === "question" && isWhole) {
      moveTo(at);
      return;
    }
    if (row.kind === "question" && question < 0) question = at;
    if (row.kind === "datapoint" && answer < 0) answer = at;
    at++;
  }
  moveTo(answer < 0 ? question : answer);
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
