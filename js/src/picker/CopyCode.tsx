/** Hands the selection over as Python: the kernel writes it, so that it is what Python says too. */

import type { Selection } from "../catalogue/selection";
import { strings } from "../catalogue/strings";
import { CopyButton } from "../ui/CopyButton";
import { useHost } from "../ui/host";
import { InsertButton } from "../ui/InsertButton";

interface CopyCodeProps {
  selection: Selection;
  /** Takes why it did not work, to be shown; empty once it is tried again. */
  onFailed(why: string): void;
}

export function CopyCode({ selection, onFailed }: CopyCodeProps) {
  const { requests, lifetime } = useHost();
  const write = async () => {
    const options = { key: "code", signal: lifetime };
    return (await requests.request<string>("code", { selection }, options)).data;
  };
  return (
    <>
      <InsertButton code={write} onFailed={onFailed} />
      <CopyButton
        of={selection}
        text={write}
        icon="code"
        label={strings.copyCode}
        onFailed={onFailed}
      />
    </>
  );
}
