/** Hands the selection over as Python: the kernel writes it, so that it is what Python says too. */
import { useSignal } from "@preact/signals";
import { copyText } from "../../shared/clipboard";
import { useHost } from "../../shared/host";
import { InsertButton } from "../../shared/InsertButton";
import { IconButton } from "../../shared/icons";
import { isAbort } from "../../shared/lifetime";
import { strings as shared } from "../../shared/strings";
import type { Selection } from "./selection";
import { strings } from "./strings";

export function CopyCode({ selection }: { selection: Selection }) {
  const { requests, lifetime, root, announce } = useHost();
  const copied = useSignal<Selection | null>(null);
  const done = copied.value === selection;
  const write = async () => {
    const options = { key: "code", signal: lifetime };
    return (await requests.request<string>("code", { selection }, options)).data;
  };
  const copy = async () => {
    try {
      const worked = await copyText(await write(), root);
      copied.value = worked ? selection : null;
      announce(worked ? shared.copied : strings.copyFailed);
    } catch (error) {
      if (!isAbort(error)) announce(shared.failed((error as Error).message));
    }
  };
  return (
    <>
      <InsertButton code={write} />
      <IconButton
        icon={done ? "check" : "code"}
        label={done ? shared.copied : strings.copyCode}
        onClick={copy}
      />
    </>
  );
}
