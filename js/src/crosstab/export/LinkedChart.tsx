/** A chart of the cells that are selected in a grid, drawn by the kernel and shown as an image. */
import "./export.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { failureOf } from "../../core/answers";
import type { ChartWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { darkTheme } from "./isDark";
import { words } from "./strings";

interface Drawn {
  readonly source: string;
  readonly alt: string;
}

export function LinkedChart({ host }: { host: WidgetHost<ChartWidget> }) {
  const drawn = useSignal<Drawn | null>(null);
  const problem = useSignal<string | null>(null);
  const version = host.trait("_version").value;
  const dark = useMemo(() => darkTheme(host), [host]).value;
  useEffect(() => {
    host.requests
      .request("chart", { dark }, { key: "chart", signal: host.lifetime })
      .then(({ data, buffers }) => {
        drawn.value = { source: svgSource(buffers[0]), alt: data.alt };
        problem.value = null;
      })
      .catch((error) => {
        problem.value = failureOf(error) ?? problem.peek();
      });
  }, [host, version, dark]);
  if (problem.value !== null) return <div class="al-empty">{problem.value}</div>;
  if (drawn.value === null) return <div class="al-empty">{words.drawing}</div>;
  return <img class="al-chart" src={drawn.value.source} alt={drawn.value.alt} />;
}

/** The address of an SVG. An image runs nothing and fetches nothing, whatever names are in it. */
export function svgSource(bytes: DataView | undefined): string {
  const svg = bytes ? new TextDecoder().decode(bytes) : "";
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
