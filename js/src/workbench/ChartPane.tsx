/** The chart of the table or of what is selected in it, with its kind and ways to take it away. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { observeSize } from "../core/lifetime";
import { ChartImage } from "../crosstab/export/ChartImage";
import { download } from "../crosstab/export/download";
import { useAttempt } from "../ui/attempt";
import { BareSelect } from "../ui/Field";
import { useHost } from "../ui/host";
import type { Charting, Format } from "./charting";
import type { ChartKind } from "./layout";
import { words } from "./strings";

interface ChartPaneProps {
  charting: Charting;
  kind: ChartKind;
  onKind(kind: ChartKind): void;
}

export function ChartPane({ charting, kind, onKind }: ChartPaneProps) {
  const { root, lifetime } = useHost();
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pane.current) observeSize(pane.current, lifetime, charting.fit);
  }, [charting]);
  const picture = charting.picture.value;
  const failure = charting.failure.value;
  const current = charting.current.value;
  /** Why the picture could not be saved, until it is tried again. */
  const unsaved = useSignal("");
  const attempt = useAttempt((why) => {
    unsaved.value = why;
  });
  const save = (format: Format) =>
    attempt(async () => {
      download(await charting.fetch(format), `chart.${format}`, root);
      return "";
    });
  return (
    <>
      <div class="al-bar al-workbench-bar">
        <BareSelect
          label={words.kind}
          value={kind}
          options={Object.entries(words.kinds) as [ChartKind, string][]}
          onChange={onKind}
        />
        <span class="al-spacer" />
        <span class={`al-workbench-note ${unsaved.value ? "al-error" : "al-quiet"}`}>
          {unsaved.value || picture?.note}
        </span>
        {picture && failure === null && (
          <>
            <button type="button" class="al-link" onClick={() => save("svg")}>
              {words.svg}
            </button>
            <button type="button" class="al-link" onClick={() => save("png")}>
              {words.png}
            </button>
          </>
        )}
      </div>
      {/* biome-ignore-start lint/a11y: a picture larger than its room is scrolled, by keys too */}
      <div
        ref={pane}
        class="al-workbench-picture"
        tabIndex={0}
        role="group"
        aria-label={words.panes.chart}
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
    </>
  );
}
