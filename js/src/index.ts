/**
 * The one module that every audiencelab widget loads; the `kind` trait says which widget this
 * instance is. Jupyter evaluates it once for each widget, other hosts once for all: it keeps no
 * state of its own.
 */
import "./ui/theme.css";
import type { AnyWidget } from "@anywidget/types";
import { LinkedChart } from "./crosstab/export/LinkedChart";
import { Grid } from "./crosstab/Grid";
import { Editor } from "./editor/Editor";
import { Picker } from "./picker/Picker";
import { mount, type WidgetComponent } from "./ui/host";
import { strings } from "./ui/strings";
import { Workbench } from "./workbench/Workbench";

interface Kind {
  component: WidgetComponent;
  /** The accessible name of the whole widget. */
  label: string;
}

const kinds: Record<string, Kind> = {
  chart: { component: LinkedChart, label: strings.widgets.chart },
  editor: { component: Editor, label: strings.widgets.editor },
  grid: { component: Grid, label: strings.widgets.grid },
  picker: { component: Picker, label: strings.widgets.picker },
  workbench: { component: Workbench, label: strings.widgets.workbench },
};

const widget: AnyWidget<{ kind: string }> = {
  render({ model, el, signal }) {
    const kind = kinds[model.get("kind")];
    if (!kind) {
      el.textContent = strings.unknownKind(model.get("kind"));
      return;
    }
    return mount(kind.component, { model, el, label: kind.label, signal });
  },
};

export default widget;
