/** The widgets that a workbench holds, as hosts of their own, each drawn into its own element. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { isAbort } from "../core/lifetime";
import type { KernelStatus } from "../core/requests";
import type { WidgetHost } from "../ui/host";

const PARTS = ["picker", "editor", "grid"] as const;
export type PartName = (typeof PARTS)[number];

export type Hosts = Record<PartName, WidgetHost>;

export interface Parts {
  /** Null until all of them are open. */
  readonly hosts: ReadonlySignal<Hosts | null>;
  readonly lost: ReadonlySignal<boolean>;
  /** How the kernel answers them, taken together. */
  readonly status: ReadonlySignal<KernelStatus>;
}

export function openParts(host: WidgetHost, roots: Record<PartName, HTMLElement>): Parts {
  const hosts = signal<Hosts | null>(null);
  const lost = signal(false);
  const ids = host.trait<Record<PartName, string>>("_parts").peek();
  Promise.all(PARTS.map((name) => host.open(ids[name], roots[name])))
    .then(([picker, editor, grid]) => {
      if (picker && editor && grid) hosts.value = { picker, editor, grid };
    })
    .catch((error) => {
      lost.value = !isAbort(error);
    });
  const status = computed<KernelStatus>(() => {
    const own = host.requests.status.value;
    // The workbench's own line says it then.
    if (own === "waiting" || own === "gone") return "idle";
    const all = Object.values(hosts.value ?? {}).map(({ requests }) => requests.status.value);
    return all.find((each) => each === "gone") ?? all.find((each) => each === "waiting") ?? "idle";
  });
  return { hosts, lost, status };
}
