/** The appearance of rows of statistics, whose values come as texts: means among shares. */
import type { StatisticLine } from "../../protocol";
import { formatCount, formatSize, HIDDEN } from "../metrics/format";
import { lowBaseMark } from "../metrics/metrics";
import { strings } from "../strings";
import type { CellStyle } from "../table/displaySettings";
import type { Chosen } from "./cellStyle";
import type { CellView } from "./painted";

const ABSENT: CellView = { text: "", is: "absent" };

type Style = Pick<CellStyle, "metrics" | "lowBase">;

/** A value on the line of the first metric, and what it has changed by on the line of that. */
export function statisticView(
  line: StatisticLine | undefined,
  column: number,
  style: Style,
  chosen: Chosen,
): CellView {
  if (!line) return { ...ABSENT, is: `absent ${chosen}`.trim() };
  const [value = "", ...marks] = (line.cells[column] ?? "").split(" ");
  const sample = line.samples?.[column + 1] ?? Number.NaN;
  const arrow = marks.includes("▲") ? "higher" : marks.includes("▼") ? "lower" : "";
  const star = value === HIDDEN ? "" : lowBaseMark(sample, style.lowBase);
  const at = style.metrics.findIndex(({ key }) => key !== "change");
  const texts = style.metrics.map(({ key }, i) =>
    key === "change" ? (line.changes?.[column] ?? "") : i === at ? value : "",
  );
  const isOne = texts.length === 1;
  const low = star === "*" ? "low" : "verylow";
  return {
    text: texts.join("\n"),
    is: ["statistic", arrow, isOne && star && low, chosen].filter(Boolean).join(" "),
    title: [strings.gaveAmount(sample), line.unchanged?.[column]].filter(Boolean).join("\n"),
    letters: arrow ? "" : marks.join(""),
    ...(!isOne && star && { marks: texts.map((_, i) => (i === at ? star : "")).join("\n") }),
  };
}

/** Those in the base who gave an amount, weighted; and in its title the statistic of them. */
export function statisticSize(
  line: StatisticLine | undefined,
  { numbers }: Pick<CellStyle, "numbers">,
): CellView {
  if (line?.size === undefined) return ABSENT;
  return { text: formatSize(line.size, numbers), title: strings.ofBaseAll(line.base) };
}

/** How many in the base gave an amount. */
export function statisticSample(
  line: StatisticLine | undefined,
  { lowBase }: Pick<CellStyle, "lowBase">,
): CellView {
  const sample = line?.samples?.[0];
  if (sample === undefined) return ABSENT;
  return {
    text: formatCount(sample) + lowBaseMark(sample, lowBase),
    title: strings.gaveAmount(sample),
  };
}
