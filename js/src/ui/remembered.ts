/** A choice between two looks that the browser remembers; without storage, only until a reload. */
import { effect, type Signal, signal } from "@preact/signals";

export function remembered(key: string): Signal<boolean> {
  const choice = signal(read(key));
  effect(() => {
    write(key, choice.value);
  });
  return choice;
}

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) === "true";
  } catch {
    return false;
  }
}

function write(key: string, value: boolean): void {
  try {
    if (read(key) !== value) localStorage.setItem(key, String(value));
  } catch {
    // The storage is full or forbidden.
  }
}
