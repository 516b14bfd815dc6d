/**
 * The query in one row: chips for rows, columns, base, waves and locations that open panels; and
 * the weight.
 */
import { count as written } from "../../core/numbers";
import "./query.css";
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import type { GridWidget } from "../../protocol";
import { BareSelect } from "../../ui/Field";
import type { WidgetHost } from "../../ui/host";
import { Icon, IconButton } from "../../ui/icons";
import { pressUndo } from "../../ui/keyboard";
import { type Openness, usePopover } from "../../ui/Popover";
import { firstWords } from "../../ui/text";
import { axisWords, baseWords, codesWords } from "./messages";
import type { Axis, CodeKind } from "./protocol";
import { createQueryEditor, type QueryEditor } from "./queryEditor";
import { questionDrop } from "./questionDrop";
import type { PanelProps } from "./Sources";
import { words } from "./strings";
import { usePanels } from "./usePanels";
import { WaveSwitch } from "./WaveSwitch";

const AXES = ["rows", "columns"] as const satisfies Axis[];
const CODES = ["waves", "locations"] as const satisfies CodeKind[];

/** The open panel: a part of the query, or adding rows or columns. */
type Open = Axis | `add ${Axis}` | "base" | CodeKind | null;

interface QueryBarProps {
  host: WidgetHost<GridWidget>;
  /** An editor shared with other components; by default the bar creates its own. */
  editor?: QueryEditor;
}

export function QueryBar({ host, editor: shared }: QueryBarProps) {
  const editor = useMemo(() => shared ?? createQueryEditor(host), [host, shared]);
  const open = useMemo(() => signal<Open>(null), []);
  const [panels, loadPanels] = usePanels(editor);
  useUndoKeys(editor);
  const summary = editor.summary.value;
  if (!summary) return null;
  const show = (what: Open) => {
    editor.problem.value = null;
    loadPanels();
    open.value = what;
  };
  /** Whether one panel is open; at most one is. */
  const opening = (what: Open): Openness => ({
    get value() {
      return open.value === what;
    },
    set value(isOpen) {
      if (isOpen) show(what);
      else if (this.peek()) open.value = null;
    },
    peek: () => open.peek() === what,
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame of its own
    <div
      class="al-query"
      role="group"
      aria-label={words.bar}
      onPointerEnter={loadPanels}
      onFocusIn={loadPanels}
    >
      <div class="al-query-top">
        <div class="al-query-line">
          {AXES.map((axis) => (
            <span class="al-query-part" key={axis}>
              <Chip
                name={words[axis]}
                now={axisWords(summary[axis])}
                count={summary[axis].count}
                opening={opening(axis)}
                drop={questionDrop(editor, () => axis)}
              >
                {(panel) =>
                  panels && (
                    <panels.SidePanel
                      editor={editor}
                      axis={axis}
                      {...panel}
                      onAdd={() => show(`add ${axis}`)}
                    />
                  )
                }
              </Chip>
              <Adder label={words.add[axis]} opening={opening(`add ${axis}`)}>
                {(panel) => panels && <panels.AddPanel editor={editor} axis={axis} {...panel} />}
              </Adder>
            </span>
          ))}
          <Chip
            name={words.base}
            now={baseWords(summary)}
            opening={opening("base")}
            drop={questionDrop(editor, () => "base")}
          >
            {(panel) => panels && <panels.BasePanel editor={editor} {...panel} />}
          </Chip>
          {CODES.filter((kind) => !summary.single?.includes(kind)).map((kind) => (
            <Chip
              key={kind}
              name={words[kind]}
              now={codesWords(kind, summary[kind])}
              opening={opening(kind)}
            >
              {(panel) => panels && <panels.CodesPanel editor={editor} kind={kind} {...panel} />}
            </Chip>
          ))}
          {!summary.single?.includes("waves") && <WaveSwitch editor={editor} />}
          {summary.weight && (
            <span class="al-query-weight" title={words.weightHint}>
              <span class="al-quiet" aria-hidden="true">
                {words.weight}
              </span>
              <BareSelect
                label={words.weight}
                class="al-query-select"
                value={summary.weight.chosen}
                options={summary.weight.all.map((each) => [each, each ?? words.unweighted])}
                onChange={(weight) => void editor.edit({ do: "weight", weight })}
              />
              <Icon name="down" />
            </span>
          )}
        </div>
        <span class="al-query-steps">
          <IconButton
            icon="undo"
            label={words.undo(summary.undo)}
            aria-keyshortcuts="Control+Z"
            aria-disabled={summary.undo === null}
            onClick={() => editor.undo()}
          />
          <IconButton
            icon="redo"
            label={words.redo(summary.redo)}
            aria-keyshortcuts="Control+Shift+Z"
            aria-disabled={summary.redo === null}
            onClick={() => editor.redo()}
          />
        </span>
      </div>
      {summary.rows.count + summary.columns.count === 0 && (
        <div class="al-query-begin al-quiet">{words.begin}</div>
      )}
      {editor.problem.value && (
        <div class="al-query-problem al-error" role="alert">
          <Icon name="warning" />
          <span>{editor.problem.value}</span>
          <IconButton
            icon="close"
            label={words.dismiss}
            onClick={() => {
              editor.problem.value = null;
            }}
          />
        </div>
      )}
    </div>
  );
}

/** Letters of a tooltip, which screen readers read out as well. */
const MOST_IN_TITLE = 300;

interface OpenerProps {
  opening: Openness;
  /** The panel beside the button. */
  children(panel: Pick<PanelProps, "anchor" | "onClose">): ComponentChildren;
}

interface ChipProps extends OpenerProps {
  name: string;
  now: string;
  /** The number of items of an axis. */
  count?: number;
  /** Handlers for questions that are dragged onto it. */
  drop?: ReturnType<typeof questionDrop>;
}

function Chip({ name, now, count = 0, opening, drop, children }: ChipProps) {
  const { isOpen, opener, panel } = usePopover("dialog", opening);
  return (
    <>
      <button
        type="button"
        class="al-query-chip"
        aria-label={words.change(name, firstWords(now), count)}
        title={firstWords(`${name}: ${now}`, MOST_IN_TITLE)}
        {...drop}
        {...opener}
      >
        <span class="al-quiet">{name}</span> <span class="al-clip">{now}</span>{" "}
        {count > 1 && <span class="al-query-count al-quiet">{written(count)}</span>}
        <Icon name="down" />
      </button>
      {isOpen && children(panel)}
    </>
  );
}

function Adder({ label, opening, children }: OpenerProps & { label: string }) {
  const { isOpen, opener, panel } = usePopover("dialog", opening);
  return (
    <>
      <IconButton icon="plus" label={label} {...opener} />
      {isOpen && children(panel)}
    </>
  );
}

/** Undo and redo by keyboard, anywhere in the widget. */
function useUndoKeys(editor: QueryEditor): void {
  // Not `useEffect`: it waits for the next paint, which a hidden page may delay.
  useLayoutEffect(() => {
    const ended = new AbortController();
    const follow = (event: KeyboardEvent) => void pressUndo(event, editor);
    editor.host.root.addEventListener("keydown", follow, { signal: ended.signal });
    return () => ended.abort();
  }, [editor]);
}
