/** The line under a view that reports a busy or lost kernel, and an edit that is not shown. */
import type { ReadonlySignal } from "@preact/signals";
import type { KernelStatus } from "../core/requests";
import type { Refused } from "../core/traits";
import { strings } from "./strings";

interface StatusProps {
  status: ReadonlySignal<KernelStatus>;
  refused?: ReadonlySignal<Refused | null>;
}

export function Status({ status, refused }: StatusProps) {
  const words = { idle: "", working: "", waiting: strings.waiting, gone: strings.gone };
  const edit = refused?.value;
  const said = words[status.value] || (edit && strings.notTaken);
  return (
    <div class="al-status" role="status" data-status={status.value}>
      {said && <span>{said}</span>}
      {said === strings.notTaken && edit?.again && (
        <>
          {" "}
          <button type="button" class="al-link" onClick={edit.again}>
            {strings.again}
          </button>
        </>
      )}
    </div>
  );
}
