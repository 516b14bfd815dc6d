/** Sends the chart: a slide that can be edited, images on white, the clipboard, and the deck. */
import "../crosstab/export/deck.css";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { copyImage } from "../core/clipboard";
import { DeckButton } from "../crosstab/export/DeckButton";
import { Delivered } from "../crosstab/export/Delivered";
import { Delivery } from "../crosstab/export/delivery";
import { words as exporting } from "../crosstab/export/strings";
import type { ExportArgs, WorkbenchWidget } from "../protocol";
import { useAttempt } from "../ui/attempt";
import { useHost } from "../ui/host";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/Menu";
import { usePopover } from "../ui/Popover";
import { strings as shared } from "../ui/strings";
import type { Charting } from "./charting";
import { words } from "./strings";

export function ChartSend({ charting }: { charting: Charting }) {
  const { root } = useHost<WorkbenchWidget>();
  const { grid } = charting;
  const { isOpen, opener, panel } = usePopover("menu");
  const delivery = useMemo(() => new Delivery(grid), [grid]);
  /** Why the chart could not be sent, until the next attempt. */
  const unsent = useSignal("");
  const attempt = useAttempt((why) => {
    unsent.value = why;
  });
  const send = (format: ExportArgs["format"], label: string) => () =>
    attempt(async () => {
      const { beside } = delivery;
      const args = { ...charting.shown(), format, width: charting.width(), beside };
      await delivery.run(exporting.saving(label), (options) =>
        grid.requests.request("export", args, options),
      );
      return "";
    });
  const copy = () =>
    attempt(async () => {
      delivery.busy.value = exporting.saving(words.png);
      try {
        if (!(await copyImage(charting.fetch(), root))) return shared.copyFailed;
      } finally {
        delivery.stop();
      }
      delivery.say(exporting.copiedChart);
      return "";
    });
  return (
    <>
      {unsent.value && <span class="al-error al-workbench-note">{unsent.value}</span>}
      <span class="al-export">
        <button type="button" class="al-button" {...opener}>
          <Icon name="send" />
          {exporting.send}
          <Icon name="down" />
        </button>
        {isOpen && (
          <Menu
            {...panel}
            label={words.sendChart}
            items={[
              {
                icon: "slide",
                label: words.slide,
                hint: exporting.fileHints.chart_pptx,
                run: send("chart_pptx", words.slide),
              },
              {
                icon: "image",
                label: words.png,
                hint: words.onWhite,
                run: send("chart_png", words.png),
              },
              {
                icon: "image",
                label: words.svg,
                hint: words.onWhite,
                run: send("chart_svg", words.svg),
              },
              {
                icon: "copy",
                label: exporting.clipboard,
                hint: words.onWhite,
                run: () => void copy(),
              },
            ]}
          />
        )}
        <Delivered delivery={delivery} />
      </span>
      <DeckButton host={grid} shown={() => ({ ...charting.shown(), chart: true })} />
    </>
  );
}
