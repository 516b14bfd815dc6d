/** The chart of the table or of the selected cells, with its settings and what sends it. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { observeSize } from "../core/lifetime";
import { ChartImage } from "../crosstab/export/ChartImage";
import type { WorkbenchWidget } from "../protocol";
import { useHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { pressUndo } from "../ui/keyboard";
import { usePopover } from "../ui/Popover";
import { ChartSend } from "./ChartSend";
import { createStyling, KindSelect, StylePanel } from "./ChartStyle";
import type { Charting } from "./charting";
import { words } from "./strings";

export function ChartPane({ charting }: { charting: Charting }) {
  const host = useHost<WorkbenchWidget>();
  const { lifetime } = host;
  const styling = useMemo(() => createStyling(host), [host]);
  const editing = usePopover();
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pane.current) observeSize(pane.current, lifetime, charting.fit);
  }, [charting]);
  const picture = charting.picture.value;
  const failure = charting.failure.value;
  const current = charting.current.value;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles one more key of the controls inside
    <div class="al-workbench-drawn" onKeyDown={(event) => void pressUndo(event, styling)}>
      <div class="al-bar al-workbench-bar">
        <KindSelect styling={styling} />
        <IconButton icon="edit" label={words.editChart} {...editing.opener} />
        {editing.isOpen && (
          <StylePanel styling={styling} usual={picture?.title ?? ""} {...editing.panel} />
        )}
        <span class="al-spacer" />
        <span class="al-workbench-note al-quiet">{picture?.note}</span>
        {picture && failure === null && <ChartSend charting={charting} />}
      </div>
      {/* biome-ignore-start lint/a11y: a chart larger than its pane scrolls, with keys too */}
      <div
        ref={pane}
        class="al-workbench-picture"
        tabIndex={0}
        role="group"
        aria-label={words.panes.chart}
        onDblClick={() => editing.isOpen || editing.opener.onClick()}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "F2") editing.opener.onClick();
        }}
      >
        {/* biome-ignore-end lint/a11y: as above */}
        {failure !== null && current && <div class="al-empty">{failure}</div>}
        {!picture && failure === null && (
          <div class="al-empty">{charting.drawing.value ? words.drawing : words.chartLater}</div>
        )}
        {picture && !(failure !== null && current) && (
          <ChartImage picture={picture} draw={charting.draw} current={current} />
        )}
      </div>
    </div>
  );
}
