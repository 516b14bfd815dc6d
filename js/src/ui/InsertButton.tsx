/** Hands code to the notebook, as a cell below the widget's; not there where no host takes it. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { childLifetime, observeSize } from "../core/lifetime";
import { canInsert, insertCode } from "../core/notebook";
import { useAttempt } from "./attempt";
import { useHost } from "./host";
import { IconButton } from "./icons";
import { strings } from "./strings";

export interface InsertProps {
  /** What to insert, written when it is asked for. */
  code: () => string | Promise<string>;
  label?: string;
  /** Takes why it did not work, to be shown beside it; empty once it is tried again. */
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

/** Whether to offer it: false until the view is on the page and a host has answered. */
export function useNotebook(): ReadonlySignal<boolean> {
  const { root, lifetime } = useHost();
  const there = useSignal(false);
  useEffect(() => {
    const watching = childLifetime(lifetime);
    // A view is drawn before it is put into the page; what has a size is in it.
    observeSize(root, watching.signal, () => {
      there.value = canInsert(root);
    });
    return () => watching.abort();
  }, [root, lifetime, there]);
  return there;
}
