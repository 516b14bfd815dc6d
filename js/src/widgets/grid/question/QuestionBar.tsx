/**
 * What is counted, in one line, and every part of it edited in place: rows, columns, base, waves
 * and locations, each a chip that opens a panel. It stands over the grid, and can stand alone:
 * all it needs is the grid's host.
 */
import "./question.css";
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import type { WidgetHost } from "../../../shared/host";
import { Icon, IconButton } from "../../../shared/icons";
import { type Openness, usePopover } from "../../../shared/Popover";
import { AddPanel } from "./AddPanel";
import { BasePanel } from "./BasePanel";
import { CodesPanel } from "./CodesPanel";
import { QuestionDesk } from "./desk";
import type { Axis, CodeKind } from "./protocol";
import { SidePanel } from "./SidePanel";
import type { PanelProps } from "./Sources";
import { words } from "./strings";
import { baseWords, codesWords, sideWords } from "./telling";

const AXES = ["rows", "columns"] as const satisfies Axis[];
const CODES = ["waves", "locations"] as const satisfies CodeKind[];

/** Which panel is open: a part of the question, or what is added to a side. */
type Open = Axis | `add ${Axis}` | "base" | CodeKind | null;

interface QuestionBarProps {
  host: WidgetHost;
  /** One that others edit by as well; the bar has its own otherwise. */
  desk?: QuestionDesk;
}

export function QuestionBar({ host, desk: shared }: QuestionBarProps) {
  const desk = useMemo(() => shared ?? new QuestionDesk(host), [host, shared]);
  const open = useMemo(() => signal<Open>(null), []);
  useUndoKeys(desk);
  const told = desk.told.value;
  if (!told) return null;
  const show = (what: Open) => {
    desk.trouble.value = null;
    open.value = what;
  };
  /** At most one panel is open: this is whether it is that one. */
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
    <div class="al-question" role="group" aria-label={words.bar}>
      <div class="al-question-line">
        {AXES.map((axis) => (
          <span class="al-question-part" key={axis}>
            <Chip
              name={words[axis]}
              now={sideWords(told[axis])}
              count={told[axis].count}
              opening={opening(axis)}
            >
              {(panel) => (
                <SidePanel desk={desk} axis={axis} {...panel} onAdd={() => show(`add ${axis}`)} />
              )}
            </Chip>
            <Adder label={words.add[axis]} opening={opening(`add ${axis}`)}>
              {(panel) => <AddPanel desk={desk} axis={axis} {...panel} />}
            </Adder>
          </span>
        ))}
        <Chip name={words.base} now={baseWords(told)} opening={opening("base")}>
          {(panel) => <BasePanel desk={desk} {...panel} />}
        </Chip>
        {CODES.map((kind) => (
          <Chip
            key={kind}
            name={words[kind]}
            now={codesWords(kind, told[kind])}
            opening={opening(kind)}
          >
            {(panel) => <CodesPanel desk={desk} kind={kind} {...panel} />}
          </Chip>
        ))}
        <span class="al-question-steps">
          <IconButton
            icon="undo"
            label={words.undo(told.undo)}
            aria-keyshortcuts="Control+Z"
            aria-disabled={told.undo === null}
            onClick={() => desk.undo()}
          />
          <IconButton
            icon="redo"
            label={words.redo(told.redo)}
            aria-keyshortcuts="Control+Shift+Z"
            aria-disabled={told.redo === null}
            onClick={() => desk.redo()}
          />
        </span>
      </div>
      {told.rows.count + told.columns.count === 0 && (
        <div class="al-question-begin al-quiet">{words.begin}</div>
      )}
      {desk.trouble.value && (
        <div class="al-question-trouble al-error" role="alert">
          <Icon name="warning" />
          <span>{desk.trouble.value}</span>
          <IconButton
            icon="close"
            label={words.dismiss}
            onClick={() => {
              desk.trouble.value = null;
            }}
          />
        </div>
      )}
    </div>
  );
}

interface OpenerProps {
  opening: Openness;
  /** The panel, beside the button. */
  children(panel: Pick<PanelProps, "anchor" | "onClose">): ComponentChildren;
}

interface ChipProps extends OpenerProps {
  name: string;
  now: string;
  /** How many lines a side has. */
  count?: number;
}

function Chip({ name, now, count = 0, opening, children }: ChipProps) {
  const { isOpen, opener, panel } = usePopover("dialog", opening);
  return (
    <>
      <button
        type="button"
        class="al-question-chip"
        aria-label={words.change(name, now, count)}
        title={`${name}: ${now}`}
        {...opener}
      >
        <span class="al-quiet">{name}</span> <span class="al-clip">{now}</span>{" "}
        {count > 1 && <span class="al-question-count al-quiet">{count.toLocaleString("en")}</span>}
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

/** Ctrl+Z and Ctrl+Shift+Z anywhere in the widget, except where text is being written. */
function useUndoKeys(desk: QuestionDesk): void {
  // Not after the next paint: a hidden page may not paint for long.
  useLayoutEffect(() => {
    const ended = new AbortController();
    desk.host.root.addEventListener(
      "keydown",
      (event) => {
        const key = event.key.toLowerCase();
        const undo = key === "z" && !event.shiftKey;
        const redo = (key === "z" && event.shiftKey) || key === "y";
        if (!(event.ctrlKey || event.metaKey) || event.altKey || !(undo || redo)) return;
        if (event.defaultPrevented || isWriting(event.target)) return;
        event.preventDefault();
        void (undo ? desk.undo() : desk.redo());
      },
      { signal: ended.signal },
    );
    return () => ended.abort();
  }, [desk]);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("input:not([type=checkbox], [type=radio]), textarea")
  );
}
