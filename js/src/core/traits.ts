/** Traits of the state model as signals: read `.value`, write with `.set`. */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, signal } from "@preact/signals";
import { onAbort } from "./lifetime";

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
}

export function bindTrait<T>(model: AnyModel, name: string, lifetime: AbortSignal): Trait<T> {
  const current = signal(model.get(name) as T);
  const follow = () => {
    current.value = model.get(name) as T;
  };
  model.on(`change:${name}`, follow);
  onAbort(lifetime, () => model.off(`change:${name}`, follow));
  return {
    signal: current,
    get value() {
      return current.value;
    },
    peek: () => current.peek(),
    set(next, send = true) {
      model.set(name, next);
      if (send) model.save_changes();
      // Some hosts do not fire a change event for `set`; the signal must have the value at once.
      follow();
    },
  };
}
