/**
 * Traits of the state model as signals: read `.value`, write with `.set`.
 *
 * Values that several pages of one kernel may edit are numbered (`widgets/numbered.py`). A page
 * shows its own edits at once and says which number they came after. If Python has another value
 * by then, the page merges its edit into it and sends that; where it cannot, it shows Python's value
 * and says so.
 */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, signal } from "@preact/signals";
import { pageNumbers } from "./ids";
import { onAbort } from "./lifetime";
import { merged, sameTable } from "./merge";

/** Adds what another page changed to a value that was kept; the same one where that is not clear. */
export type Carry = <V>(kept: V) => V;

export interface Trait<T> {
  readonly value: T;
  /** The value without subscribing to it. */
  peek(): T;
  readonly signal: ReadonlySignal<T>;
  /**
   * Sets the trait for all views and sends it to Python; with `send` false, the next `set` sends
   * it.
   */
  set(next: T, send?: boolean): void;
  /**
   * Calls back before the edit of another page is shown, for values that were kept, such as the
   * steps of undo.
   */
  onOthers?(hear: (carry: Carry) => void): void;
  /** Whether Python numbers its values; then, whether a page made this one. */
  readonly isNumbered?: boolean;
  readonly isEdited?: boolean;
}

/** An edit that is not shown: another page changed the same, or the kernel was restarted. */
export interface Refused {
  why: "page" | "restart";
  /** Makes it all the same; null where it no longer fits. */
  again: (() => void) | null;
}

/** A value as Python sends it. */
interface Sent<T> {
  number: number;
  value: T;
  /** The last edit that Python answered, and whether it is in this value. */
  answers?: number;
  taken?: boolean;
}

/** A value of this page that Python may not have yet. */
interface Edit<T> {
  number: number;
  value: T;
  /** What Python sent last, and the edits of this page since. */
  after: readonly number[];
}

/** Numbers of this page are larger than any of Python's. */
const FIRST_OF_PAGES = 2 ** 20;
/** Edits without an answer whose numbers are kept. */
const MOST_UNANSWERED = 100;

export function bindTrait<T>(
  model: AnyModel,
  name: string,
  lifetime: AbortSignal,
  onRefused: (refused: Refused | null) => void = () => {},
): Trait<T> {
  const get = (): T | Sent<T> | Edit<T> => model.get(name);
  const nextNumber = pageNumbers();
  const hearing: ((carry: Carry) => void)[] = [];
  let settled: Sent<T> | null = null;
  let pending: Edit<T> | null = null;
  let refused: Refused | null = null;
  const first = get();
  if (isEdit(first)) pending = first;
  else if (isNumbered(first)) settled = first;
  const current = signal(isNumbered(first) ? first.value : first);

  const follow = () => {
    const now = get();
    if (!isNumbered(now)) current.value = now;
    else if (isEdit(now)) {
      pending = now;
      current.value = now.value;
    } else if (now !== settled) receive(now);
  };

  function receive(sent: Sent<T>): void {
    const [before, edit] = [settled, pending];
    settled = sent;
    if (edit === null) {
      if (sent.number !== before?.number) show(sent.value, before, sent);
      return;
    }
    const isAnswer = sent.answers === edit.number;
    if (sent.number === edit.number || (isAnswer && sent.taken)) {
      pending = null;
      // The same value, unless Python changed it.
      if (sent.number !== edit.number) current.value = sent.value;
      return;
    }
    const known = edit.after.indexOf((sent.taken && sent.answers) || sent.number);
    if (known >= 0 && !isAnswer) {
      // An answer to an older edit: those since then are on their way.
      put({ ...edit, after: [sent.number, ...edit.after.slice(known + 1)] });
      return;
    }
    pending = null;
    const both = known < 0 && before ? merged(before.value, sent.value, edit.value) : undefined;
    if (before && both !== undefined) {
      tell(before, sent);
      set(both);
      return;
    }
    current.value = sent.value;
    const fits = known < 0 && sameTable(sent.value, edit.value);
    refused = { why: "page", again: fits ? () => trait.set(edit.value) : null };
    onRefused(refused);
  }

  /** Shows a value that this page did not make. */
  function show(value: T, before: Sent<T> | null, sent: Sent<T>): void {
    if (before && sent.number >= FIRST_OF_PAGES) tell(before, sent);
    current.value = value;
  }

  function tell(before: Sent<T>, sent: Sent<T>): void {
    const carry: Carry = (kept) =>
      (merged<unknown>(before.value, sent.value, kept) as typeof kept) ?? kept;
    for (const hear of hearing) hear(carry);
  }

  function put(edit: Edit<T>): void {
    pending = edit;
    model.set(name, edit);
    // Some hosts do not fire a change event for `set`; the signal must have the value at once.
    current.value = edit.value;
  }

  function set(next: T, send = true): void {
    const now = get();
    if (!isNumbered(now)) {
      model.set(name, next);
      current.value = next;
    } else if (next !== current.peek()) {
      const after = isEdit(now) ? [...now.after, now.number] : [now.number];
      const kept = after.slice(-MOST_UNANSWERED);
      put({ number: nextNumber(), value: next, after: kept });
    }
    if (send) model.save_changes();
  }

  model.on(`change:${name}`, follow);
  onAbort(lifetime, () => model.off(`change:${name}`, follow));
  const trait: Trait<T> = {
    signal: current,
    get value() {
      return current.value;
    },
    peek: () => current.peek(),
    set(next, send) {
      if (refused) onRefused(null);
      refused = null;
      set(next, send);
    },
    onOthers: (hear) => void hearing.push(hear),
    get isNumbered() {
      return isNumbered(get());
    },
    get isEdited() {
      const now = get();
      return isNumbered(now) && now.number >= FIRST_OF_PAGES;
    },
  };
  return trait;
}

function isNumbered<T>(raw: T | Sent<T> | Edit<T>): raw is Sent<T> | Edit<T> {
  return typeof raw === "object" && raw !== null && "number" in raw && "value" in raw;
}

function isEdit<T>(raw: T | Sent<T> | Edit<T>): raw is Edit<T> {
  return isNumbered(raw) && "after" in raw;
}
