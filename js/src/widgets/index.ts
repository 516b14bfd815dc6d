/**
 * The one module that every audiencelab widget loads; the `kind` trait says which
 * widget this instance is.
 */
import "./index.css";
import type { AnyWidget } from "@anywidget/types";

const widget: AnyWidget<{ kind: string }> = {
  render({ model, el }) {
    el.classList.add("audiencelab");
    el.textContent = `audiencelab has no widget of kind ${JSON.stringify(model.get("kind"))}`;
  },
};

export default widget;
