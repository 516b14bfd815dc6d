/** A choice between two looks that the browser remembers; without storage, only until a reload. */
import { effect, type Signal, signal } from "@preact/signals";

export function remembered(key: string): Signal<boolean> {
  const choice = signal(false);
  attempt(() => {
    choice.value = localStorage.getItem(key) === "true";
  });
  effect(() => {
    const value = String(choice.value);
    attempt(() => localStorage.setItem(key, value));
  });
  return choice;
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The storage is full or forbidden.
  }
}
