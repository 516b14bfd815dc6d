/** The plugins of the extension, apart from its renderers. */
import { insertPlugin } from "./insert";
import type {
  Lumino,
  LuminoCore,
  LuminoDragging,
  LuminoOutputs,
  NotebookPackage,
  Plugin,
} from "./jupyter";
import { viewPlugin } from "./saved/view";
import type { Take } from "./sharing";
import { sidebarPlugin } from "./sidebar/plugin";

export default async function plugins(take: Take): Promise<Plugin[]> {
  // Notebook 7 lacks some of JupyterLab's services.
  const ifThere = <T>(name: string) => take<T>(name).catch(() => null);
  const [
    notebook,
    application,
    apputils,
    documents,
    services,
    settings,
    ui,
    browser,
    launcher,
    ...lumino
  ] = await Promise.all([
    take<NotebookPackage>("@jupyterlab/notebook"),
    take<never>("@jupyterlab/application"),
    take<never>("@jupyterlab/apputils"),
    take<never>("@jupyterlab/docregistry"),
    take<never>("@jupyterlab/services"),
    take<never>("@jupyterlab/settingregistry"),
    take<never>("@jupyterlab/ui-components"),
    ifThere<never>("@jupyterlab/filebrowser"),
    ifThere<never>("@jupyterlab/launcher"),
    take<Lumino & LuminoOutputs>("@lumino/widgets"),
    take<LuminoCore>("@lumino/coreutils"),
    take<LuminoDragging>("@lumino/dragdrop"),
  ]);
  const [widgets, { MimeData, UUID }, { Drag }] = lumino;
  return [
    insertPlugin(notebook),
    viewPlugin(widgets),
    sidebarPlugin({
      application,
      apputils,
      browser,
      documents,
      launcher,
      lumino: { Widget: widgets.Widget, MimeData, UUID, Drag },
      notebook,
      services,
      settings,
      ui,
    }),
  ];
}
