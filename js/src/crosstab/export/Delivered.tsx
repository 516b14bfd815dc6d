/** The progress of a file that is made, and where it went: below its button, over the table. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { childLifetime, observeSize } from "../../core/lifetime";
import { openFile } from "../../core/notebook";
import { useAttempt } from "../../ui/attempt";
import { useHost } from "../../ui/host";
import { Icon, IconButton } from "../../ui/icons";
import { position } from "../../ui/Popover";
import { strings as shared } from "../../ui/strings";
import type { Delivery } from "./delivery";
import { words } from "./strings";

export function Delivered({ delivery }: { delivery: Delivery }) {
  const busy = delivery.busy.value;
  const said = delivery.said.value;
  if (busy === null && said === null && delivery.placed.value === null) return null;
  return (
    <Bubble
      onOutside={() => {
        delivery.placed.value = null;
      }}
    >
      {busy === null ? (
        said === null ? (
          <Placed delivery={delivery} />
        ) : (
          <>
            <Icon name="check" /> {said}
          </>
        )
      ) : (
        <>
          <span class="al-quiet">{busy}</span>
          <IconButton icon="stop" label={words.stopSaving} onClick={() => delivery.stop()} />
        </>
      )}
    </Bubble>
  );
}

/** In the top layer, so that no scrolling bar clips it; it takes no focus. */
function Bubble({ children, onOutside }: { children: ComponentChildren; onOutside(): void }) {
  const { lifetime } = useHost();
  const bubble = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bubble.current;
    const anchor = element?.parentElement;
    if (!element || !anchor) return;
    const ended = childLifetime(lifetime);
    const { signal } = ended;
    element.showPopover?.();
    const place = () => position(element, anchor);
    place();
    observeSize(element, signal, place);
    const page = element.ownerDocument;
    const outside = (event: Event) => {
      if (!event.composedPath().includes(element)) onOutside();
    };
    page.addEventListener("pointerdown", outside, { capture: true, signal });
    page.addEventListener("scroll", place, { capture: true, passive: true, signal });
    page.defaultView?.addEventListener("resize", place, { signal });
    return () => ended.abort();
  }, []);
  return (
    <div ref={bubble} class="al-popover al-delivered" popover="manual">
      {children}
    </div>
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
