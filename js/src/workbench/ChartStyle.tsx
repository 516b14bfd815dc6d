/** The settings of the chart: kind, title, order, colours and labels, with undo. */
import { computed, type ReadonlySignal } from "@preact/signals";
import { createUndoStack } from "../core/undo";
import type { WorkbenchWidget } from "../protocol";
import { BareSelect, Checkbox, Field, type Options, Select } from "../ui/Field";
import type { WidgetHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { Popover, type PopoverProps } from "../ui/Popover";
import { type ChartKind, type ChartStyle, styleOf } from "./layout";
import { words } from "./strings";

export interface ChartStyling {
  readonly style: ReadonlySignal<ChartStyle>;
  /** The labels of the next undo and redo steps; null for none. */
  readonly undoable: ReadonlySignal<string | null>;
  readonly redoable: ReadonlySignal<string | null>;
  change(part: Partial<ChartStyle>): void;
  undo(): void;
  redo(): void;
}

export function createStyling(host: WidgetHost<WorkbenchWidget>): ChartStyling {
  const panes = host.trait("panes");
  const style = computed(() => styleOf(panes.value));
  const steps = host.shared("chart", () => createUndoStack(style.peek()));
  const show = (next: ChartStyle) => panes.set({ ...panes.peek(), ...next });
  const step = (way: "undo" | "redo") => {
    const restored = steps[way]();
    if (!restored) return;
    show(restored.value);
    host.announce(words[way](restored.label));
  };
  return {
    style,
    undoable: steps.undoable,
    redoable: steps.redoable,
    change(part) {
      // A change made in Python becomes the value that undo returns to.
      steps.amend((value) => (value === steps.now ? style.peek() : value));
      const next = { ...style.peek(), ...part };
      const [name] = Object.keys(part) as (keyof ChartStyle)[];
      const label = words.style[name ?? "kind"].toLowerCase();
      if (steps.record(next, { label, gesture: label, time: Date.now() })) show(next);
    },
    undo: () => step("undo"),
    redo: () => step("redo"),
  };
}

/** The kind of chart, in the toolbar over it. */
export function KindSelect({ styling }: { styling: ChartStyling }) {
  return (
    <BareSelect
      label={words.style.kind}
      value={styling.style.value.kind}
      options={optionsOf<ChartKind>(words.kinds)}
      onChange={(kind) => styling.change({ kind })}
    />
  );
}

interface StylePanelProps extends Pick<PopoverProps, "anchor" | "onClose"> {
  styling: ChartStyling;
  /** The default title. */
  usual: string;
}

export function StylePanel({ styling, usual, ...panel }: StylePanelProps) {
  const { title, sort, palette, labels } = styling.style.value;
  const undoable = styling.undoable.value;
  const redoable = styling.redoable.value;
  return (
    <Popover label={words.editChart} {...panel}>
      <div class="al-workbench-style">
        <Field label={words.style.title}>
          <input
            class="al-input"
            type="text"
            data-undo
            maxLength={200}
            placeholder={usual}
            value={title}
            onInput={({ currentTarget }) => styling.change({ title: currentTarget.value })}
          />
        </Field>
        <Select
          label={words.style.sort}
          value={sort}
          options={optionsOf(words.sorts)}
          onChange={(next) => styling.change({ sort: next })}
        />
        <Select
          label={words.style.palette}
          value={palette}
          options={optionsOf(words.palettes)}
          onChange={(next) => styling.change({ palette: next })}
        />
        <Checkbox
          label={words.style.labels}
          checked={labels}
          onChange={(next) => styling.change({ labels: next })}
        />
        <div class="al-bar">
          <IconButton
            icon="undo"
            label={words.undo(undoable)}
            aria-disabled={undoable === null}
            onClick={styling.undo}
          />
          <IconButton
            icon="redo"
            label={words.redo(redoable)}
            aria-disabled={redoable === null}
            onClick={styling.redo}
          />
        </div>
      </div>
    </Popover>
  );
}

function optionsOf<T extends string>(named: Readonly<Record<T, string>>): Options<T> {
  return Object.entries(named) as [T, string][];
}
