/**
 * The line under a view: the kernel is busy or gone, or an edit is not shown. Where the host can run
 * the cell of a view whose kernel is gone, it is run from here.
 */
import type { ReadonlySignal, Signal } from "@preact/signals";
import { runAgain } from "../core/notebook";
import type { KernelStatus } from "../core/requests";
import type { Refused } from "../core/traits";
import { IconButton } from "./icons";
import { strings } from "./strings";

interface StatusProps {
  status: ReadonlySignal<KernelStatus>;
  /** Of the view; without it nothing is run. */
  root?: HTMLElement;
  refused?: Signal<Refused | null>;
}

export function Status({ status, root, refused }: StatusProps) {
  const isGone = status.value === "gone";
  return (
    <div class="al-status" role="status" data-status={status.value}>
      {status.value === "waiting" && <span>{strings.waiting}</span>}
      {isGone && <Gone root={root} />}
      {!isGone && refused?.value && <NotShown refused={refused} edit={refused.value} />}
    </div>
  );
}

function Gone({ root }: { root: HTMLElement | undefined }) {
  if (!root || !runAgain(root, { ask: true })) {
    return (
      <span>
        {strings.gone} {strings.runTheCell}
      </span>
    );
  }
  return (
    <>
      <span>{strings.gone}</span>
      <button
        type="button"
        class="al-button"
        title={strings.runAgainTitle}
        onClick={() => runAgain(root)}
      >
        {strings.runAgain}
      </button>
    </>
  );
}

function NotShown({ edit, refused }: { edit: Refused; refused: Signal<Refused | null> }) {
  const close = () => {
    refused.value = null;
  };
  return (
    <>
      <span>{strings.notShown[edit.why]}</span>
      {edit.again && (
        <button type="button" class="al-link" onClick={edit.again}>
          {strings.again}
        </button>
      )}
      <IconButton icon="close" label={strings.close} onClick={close} />
    </>
  );
}
