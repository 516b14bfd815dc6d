/** A chart of the cells that are selected in a grid, drawn by the kernel and shown as an image. */
import "./export.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { failureOf } from "../../core/requests";
import type { WidgetHost } from "../../ui/host";
import { darkTheme } from "./isDark";
import { words } from "./strings";

interface Drawn {
  readonly svg: string;
  readonly alt: string;
}

export function LinkedChart({ host }: { host: WidgetHost }) {
  const drawn = useSignal<Drawn | null>(null);
  const problem = useSignal<string | null>(null);
  const version = host.trait<number>("_version").value;
  const dark = useMemo(() => darkTheme(host), [host]).value;
  useEffect(() => {
    host.requests
      .request<Drawn>("chart", { dark }, { key: "chart", signal: host.lifetime })
      .then(({ data }) => {
        drawn.value = data;
        problem.value = null;
      })
      .catch((error) => {
        problem.value = failureOf(error) ?? problem.peek();
      });
  }, [host, version, dark]);
  if (problem.value !== null) return <div class="al-empty">{problem.value}</div>;
  if (drawn.value === null) return <div class="al-empty">{words.drawing}</div>;
  // An image runs nothing and fetches nothing, whatever names are in it.
  return <img class="al-chart" src={asImage(drawn.value.svg)} alt={drawn.value.alt} />;
}

/** The address of a picture that is drawn of its own words. */
function asImage(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
