/**
 * A kind of widget as the module that a page loads for it: each other file of this folder is one
 * (`build.mjs`). It is evaluated once a page, so none of its code keeps the state of one widget.
 */
import type { Kind } from "../core/shelf";
import { mount, type WidgetComponent, type WidgetShape } from "../ui/host";

/** `label`: the accessible name of the whole widget. */
export function kind<W extends WidgetShape>(component: WidgetComponent<W>, label: string): Kind {
  return {
    render: (view) =>
      new Promise((drawn) => {
        mount(component, { ...view, label, onDrawn: drawn });
      }),
  };
}
