/**
 * The sizes of a node, right-aligned in columns; outdated ones are greyed until new ones arrive.
 */

import type { ComponentChildren } from "preact";
import { count, written } from "../core/numbers";
import { useEditor } from "./context";
import { counting, type EditorNode } from "./document";
import type { Context } from "./measuring";
import { type Measure, type Shown, shown, warning } from "./sizes";
import { words } from "./strings";

/** Above this number of waves, a count replaces the bars. */
const MOST_BARS = 16;

export function NodeSizes({ node, silent }: { node: EditorNode; silent: boolean }) {
  const { state, measuring } = useEditor();
  const context = measuring.context.value;
  if (silent) return <Blank waiting={false} />;
  const isRoot = node.id === state.document.peek().root.id;
  const everyone = isRoot && node.kind === "group" && counting(node).length === 0 && !node.negated;
  const found = everyone ? baseFigures(context) : shown(measuring.numbers.value, node);
  if (!found) return <Blank waiting={measuring.busy.value} />;
  const { measure, stale } = found;
  const level = stale ? null : (warning(measure)?.level ?? null);
  const look = `al-editor-cell al-number ${stale ? "al-stale" : ""}`;
  return (
    <>
      <Cell look={look} after={words.units.size}>
        {written(measure.size, 0)}
      </Cell>
      <Cell look={`${look} ${level === "note" ? "" : (level ?? "")}`} before={words.units.sample}>
        {count(measure.sample)}
      </Cell>
      <Cell look={look} after={words.units.percentage}>
        {written(measure.percentage ?? Number.NaN, 1)}
      </Cell>
      <Cell look={`al-editor-cell ${stale ? "al-stale" : ""}`}>
        {context && <WaveBars measure={measure} context={context} />}
      </Cell>
    </>
  );
}

/** An empty root means everyone: its sizes are those of the base. */
function baseFigures(context: Context | null): Shown | null {
  if (!context) return null;
  const { size, sample } = context.base;
  const measure: Measure = {
    size,
    sample,
    percentage: sample > 0 ? 100 : null,
    waves: context.counted,
    base_size: size,
    base_sample: sample,
  };
  return { measure, stale: false };
}

interface CellProps {
  look: string;
  /** The unit beside the number where column headings do not fit. */
  before?: string;
  after?: string;
  children?: ComponentChildren;
}

function Cell({ look, before, after, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a treegrid
    // biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus
    <div role="gridcell" class={look} data-before={before} data-after={after}>
      {children}
    </div>
  );
}

/** A placeholder before the first answer; empty where nothing can be counted. */
function Blank({ waiting }: { waiting: boolean }) {
  return (
    <>
      {[44, 30, 24].map((width) => (
        <Cell key={width} look="al-editor-cell al-number">
          {waiting && (
            <div class="al-skeleton al-editor-skeleton" style={{ width: `${width}px` }} />
          )}
        </Cell>
      ))}
      <Cell look="al-editor-cell" />
    </>
  );
}

/** One bar for each wave of the query, filled where the node's questions were asked. */
function WaveBars({ measure, context }: { measure: Measure; context: Context }) {
  const all = context.counted;
  const covered = new Set(measure.waves);
  const names = new Map(context.waves.map(({ code, name }) => [code, name]));
  const label = words.waves(
    measure.waves.map((code) => names.get(code) ?? code),
    all.length,
  );
  if (all.length > MOST_BARS) {
    return <span title={label}>{`${covered.size}/${all.length}`}</span>;
  }
  return (
    <svg
      class="al-editor-waves"
      role="img"
      aria-label={label}
      width={all.length * 5}
      height="10"
      viewBox={`0 0 ${all.length * 5} 10`}
    >
      <title>{label}</title>
      {all.map((code, i) => (
        <rect
          key={code}
          class={covered.has(code) ? "on" : "off"}
          x={i * 5 + 0.5}
          y={covered.has(code) ? 0 : 7}
          width="3"
          height={covered.has(code) ? 10 : 3}
        />
      ))}
    </svg>
  );
}
