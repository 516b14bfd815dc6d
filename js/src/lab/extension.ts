/** The plugins of the extension: what it adds to JupyterLab beside its renderers. */
import { insertPlugin } from "./insert";
import type { NotebookPackage, Plugin } from "./jupyter";
import type { Take } from "./sharing";

export default async function plugins(take: Take): Promise<Plugin[]> {
  return [insertPlugin(await take<NotebookPackage>("@jupyterlab/notebook"))];
}
