/** The status line that reports a busy or lost kernel; content above it does not move. */
import type { ReadonlySignal } from "@preact/signals";
import type { KernelStatus } from "../core/requests";
import { strings } from "./strings";

export function Status({ status }: { status: ReadonlySignal<KernelStatus> }) {
  const words = { idle: "", working: "", waiting: strings.waiting, gone: strings.gone };
  const said = words[status.value];
  return (
    <div class="al-status" role="status" data-status={status.value}>
      {said && <span>{said}</span>}
    </div>
  );
}
