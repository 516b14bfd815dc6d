/** The hosts of the widgets that a workbench contains, each rendered into its own element. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { isAbort } from "../core/lifetime";
import type { KernelStatus } from "../core/requests";
import type { EditorWidget, GridWidget, PickerWidget, WorkbenchWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";

export interface PartWidgets {
  picker: PickerWidget;
  editor: EditorWidget;
  grid: GridWidget;
}

export type PartName = keyof PartWidgets;

export type Hosts = { readonly [N in PartName]: WidgetHost<PartWidgets[N]> };

export interface Parts {
  /** null until all of them are open. */
  readonly hosts: ReadonlySignal<Hosts | null>;
  readonly lost: ReadonlySignal<boolean>;
  /** The combined kernel status of the widgets. */
  readonly status: ReadonlySignal<KernelStatus>;
}

export function openParts(
  host: WidgetHost<WorkbenchWidget>,
  roots: Record<PartName, HTMLElement>,
): Parts {
  const hosts = signal<Hosts | null>(null);
  const lost = signal(false);
  const ids = host.trait("_parts").peek();
  Promise.all([
    host.open<PickerWidget>(ids.picker, roots.picker),
    host.open<EditorWidget>(ids.editor, roots.editor),
    host.open<GridWidget>(ids.grid, roots.grid),
  ])
    .then(([picker, editor, grid]) => {
      hosts.value = { picker, editor, grid };
    })
    .catch((error) => {
      lost.value = !isAbort(error);
    });
  const status = computed<KernelStatus>(() => {
    const own = host.requests.status.value;
    // The workbench's own status line reports it.
    if (own === "waiting" || own === "gone") return "idle";
    const all = Object.values(hosts.value ?? {}).map(({ requests }) => requests.status.value);
    return all.find((each) => each === "gone") ?? all.find((each) => each === "waiting") ?? "idle";
  });
  return { hosts, lost, status };
}
