/**
 * The one module that every audiencelab widget loads; the `kind` trait says which widget this
 * instance is. Jupyter evaluates it once for each widget, other hosts once for all: it keeps no
 * state of its own.
 */
import "../shared/theme.css";
import type { AnyWidget } from "@anywidget/types";
import { mount, type WidgetComponent } from "../shared/host";
import { strings } from "../shared/strings";
import { Editor } from "./editor/Editor";
import { Grid } from "./grid/Grid";
import { LinkedChart } from "./grid/taking/LinkedChart";
import { Picker } from "./picker/Picker";
import { Workbench } from "./workbench/Workbench";

interface Kind {
  component: WidgetComponent;
  /** The accessible name of the whole widget. */
  label: string;
}

const kinds: Record<string, Kind> = {
  chart: { component: LinkedChart, label: "Chart of a crosstab" },
  editor: { component: Editor, label: "Audience editor" },
  grid: { component: Grid, label: "Crosstab" },
  picker: { component: Picker, label: "Question picker" },
  workbench: { component: Workbench, label: "Workbench" },
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
