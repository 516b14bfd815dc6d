/** A chart of the cells that are selected in a crosstab. */
import "./export.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { failureOf } from "../../core/answers";
import { chartDrawer } from "../../core/notebook";
import type { ChartWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { ChartImage, type Picture, pictureFormat, readPicture } from "./ChartImage";
import { darkTheme } from "./isDark";
import { words } from "./strings";

export function LinkedChart({ host }: { host: WidgetHost<ChartWidget> }) {
  const drawn = useSignal<Picture | null>(null);
  const problem = useSignal<string | null>(null);
  const version = host.trait("_version").value;
  const dark = useMemo(() => darkTheme(host), [host]).value;
  const draw = useMemo(() => chartDrawer(host.root), [host]);
  useEffect(() => {
    const args = { dark, ...pictureFormat(draw) };
    host.requests
      .request("chart", args, { key: "chart", signal: host.lifetime })
      .then(({ data, buffers }) => {
        drawn.value = readPicture(buffers[0], data.alt, draw);
        problem.value = null;
      })
      .catch((error) => {
        problem.value = failureOf(error) ?? problem.peek();
      });
  }, [host, version, dark]);
  if (problem.value !== null) return <div class="al-empty">{problem.value}</div>;
  if (drawn.value === null) return <div class="al-empty">{words.drawing}</div>;
  return <ChartImage picture={drawn.value} draw={draw} />;
}
