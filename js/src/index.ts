/**
 * The module that every audiencelab widget loads; the `kind` trait selects the widget. Jupyter
 * evaluates it once for each widget, other hosts once for all, so it keeps no state.
 */
import "./ui/theme.css";
import type { AnyWidget } from "@anywidget/types";
import { LinkedChart } from "./crosstab/export/LinkedChart";
import { Grid } from "./crosstab/Grid";
import { Editor } from "./editor/Editor";
import { Picker } from "./picker/Picker";
import { type MountOptions, mount, type WidgetComponent, type WidgetShape } from "./ui/host";
import { strings } from "./ui/strings";
import { Workbench } from "./workbench/Workbench";

interface Kind {
  draw(options: MountOptions): () => void;
  /** The accessible name of the whole widget. */
  label: string;
}

function kind<W extends WidgetShape>(component: WidgetComponent<W>, label: string): Kind {
  return { label, draw: (options) => mount(component, options) };
}

const kinds: Record<string, Kind> = {
  chart: kind(LinkedChart, strings.widgets.chart),
  editor: kind(Editor, strings.widgets.editor),
  grid: kind(Grid, strings.widgets.grid),
  picker: kind(Picker, strings.widgets.picker),
  workbench: kind(Workbench, strings.widgets.workbench),
};

const widget: AnyWidget<{ kind: string }> = {
  render({ model, el, signal }) {
    const kind = kinds[model.get("kind")];
    if (!kind) {
      el.textContent = strings.unknownKind(model.get("kind"));
      return;
    }
    return kind.draw({ model, el, label: kind.label, signal });
  },
};

export default widget;
