/** Hands the selection over as Python: the kernel writes it, so that it is what Python says too. */
import { useSignal } from "@preact/signals";
import { copyText } from "../../shared/clipboard";
import { useHost } from "../../shared/host";
import { InsertButton } from "../../shared/InsertButton";
import { IconButton } from "../../shared/icons";
import { failureOf } from "../../shared/requests";
import { strings as shared } from "../../shared/strings";
import type { Selection } from "./selection";
import { strings } from "./strings";

interface CopyCodeProps {
  selection: Selection;
  /** Takes why it did not work, to be shown; empty once it is tried again. */
  onFailed(why: string): void;
}

export function CopyCode({ selection, onFailed }: CopyCodeProps) {
  const { requests, lifetime, root, announce } = useHost();
  const copied = useSignal<Selection | null>(null);
  const done = copied.value === selection;
  const write = async () => {
    const options = { key: "code", signal: lifetime };
    return (await requests.request<string>("code", { selection }, options)).data;
  };
  const fail = (why: string) => {
    onFailed(why);
    announce(why);
  };
  const copy = async () => {
    onFailed("");
    try {
      const worked = await copyText(await write(), root);
      copied.value = worked ? selection : null;
      if (worked) announce(shared.copied);
      else fail(shared.copyFailed);
    } catch (error) {
      const why = failureOf(error);
      if (why !== null) fail(shared.failed(why));
    }
  };
  return (
    <>
      <InsertButton code={write} onFailed={onFailed} />
      <IconButton
        icon={done ? "check" : "code"}
        label={done ? shared.copied : strings.copyCode}
        onClick={copy}
      />
    </>
  );
}
