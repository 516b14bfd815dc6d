/**
 * Inserts code into the notebook, as a cell below the widget's; hidden where the host does not
 * support it.
 */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { childLifetime, observeSize } from "../core/lifetime";
import { canInsert, insertCode } from "../core/notebook";
import { useAttempt } from "./attempt";
import { useHost } from "./host";
import { IconButton } from "./icons";
import { strings } from "./strings";

export interface InsertProps {
  /** Loads the code on a click. */
  code: () => string | Promise<string>;
  label?: string;
  /** Receives the error message; empty at the next attempt. */
  onFailed(why: string): void;
}

export function InsertButton({ code, label = strings.insert, onFailed }: InsertProps) {
  const { root, announce } = useHost();
  const notebook = useNotebook();
  const attempt = useAttempt(onFailed);
  if (!notebook.value) return null;
  const insert = ({ shiftKey: run }: MouseEvent) =>
    attempt(async () => {
      const done = insertCode(root, await code(), { run });
      if (!done) return strings.notInserted;
      announce(run ? strings.insertedAndRun : strings.inserted);
      return "";
    });
  return <IconButton icon="insert" label={label} onClick={insert} />;
}

/** Whether to show the button: false until the view is on the page and a host has answered. */
export function useNotebook(): ReadonlySignal<boolean> {
  const { root, lifetime } = useHost();
  const there = useSignal(false);
  useEffect(() => {
    const watching = childLifetime(lifetime);
    // A view is rendered before it is attached to the page; an element with a size is attached.
    observeSize(root, watching.signal, () => {
      there.value = canInsert(root);
    });
    return () => watching.abort();
  }, [root, lifetime, there]);
  return there;
}
