/** The progress of a file that is made, and where it went: below its button, over the table. */
import { useSignal } from "@preact/signals";
import { openFile } from "../../core/notebook";
import { useAttempt } from "../../ui/attempt";
import { useHost } from "../../ui/host";
import { Icon, IconButton } from "../../ui/icons";
import { strings as shared } from "../../ui/strings";
import type { Delivery } from "./delivery";
import { words } from "./strings";

export function Delivered({ delivery }: { delivery: Delivery }) {
  const busy = delivery.busy.value;
  if (busy === null && delivery.placed.value === null) return null;
  return (
    <span class="al-delivered">
      {busy === null ? (
        <Placed delivery={delivery} />
      ) : (
        <>
          <span class="al-quiet">{busy}</span>
          <IconButton icon="stop" label={words.stopSaving} onClick={() => delivery.stop()} />
        </>
      )}
    </span>
  );
}

/** Where the last file went, with links; in a panel as well. */
export function Placed({ delivery }: { delivery: Delivery }) {
  const { root } = useHost();
  const failed = useSignal("");
  const attempt = useAttempt((why) => {
    failed.value = why;
  });
  const placed = delivery.placed.value;
  if (placed === null) return null;
  const save = () =>
    attempt(async () => {
      await placed.save();
      return "";
    });
  return (
    <>
      <Icon name="check" />
      <span class="al-delivered-words">
        {failed.value || (
          <>
            <bdi>{placed.name}</bdi> <span class="al-quiet">{words.isBeside}</span>
          </>
        )}
      </span>
      {placed.opens && (
        <button type="button" class="al-link" onClick={() => openFile(root, placed.name)}>
          {words.open}
        </button>
      )}
      <button type="button" class="al-link" onClick={save}>
        {words.download}
      </button>
      <IconButton
        icon="close"
        label={shared.close}
        onClick={() => {
          delivery.placed.value = null;
        }}
      />
    </>
  );
}
