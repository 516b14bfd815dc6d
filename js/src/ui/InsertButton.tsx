/** Hands code to the notebook, as a cell below the widget's; not there where no host takes it. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { failureOf } from "../core/answers";
import { childLifetime, observeSize } from "../core/lifetime";
import { canInsert, insertCode } from "../core/notebook";
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
  if (!notebook.value) return null;
  const insert = async ({ shiftKey: run }: MouseEvent) => {
    const fail = (why: string) => {
      onFailed(why);
      announce(why);
    };
    onFailed("");
    try {
      const done = insertCode(root, await code(), { run });
      if (done) announce(run ? strings.insertedAndRun : strings.inserted);
      else fail(strings.notInserted);
    } catch (error) {
      const why = failureOf(error);
      if (why !== null) fail(strings.failed(why));
    }
  };
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
