/** What the workbench tabs need of JupyterLab and of the sidebar. */
import type { ConnectionRecord } from "../../protocol";
import type {
  Application,
  ApputilsPackage,
  DefaultFileBrowser,
  DocumentPackage,
  DocumentRegistry,
  FileBrowserPackage,
  Launcher,
  Lumino,
  Palette,
  TabRestorer,
  TrackerPackage,
} from "../jupyter";
import type { Server } from "../server";
import type { TabInputs } from "./plan";

export interface WorkbenchServices {
  app: Application & { readonly docRegistry: DocumentRegistry };
  packages: {
    documents: DocumentPackage;
    tracking: TrackerPackage;
    lumino: Lumino;
    browsing: FileBrowserPackage | null;
  };
  server: Server;
  preferred(): Promise<ConnectionRecord | null>;
  notify: ApputilsPackage["Notification"];
  icon: object;
  openIcon: object;
  fileIcon: object;
  palette: Palette | null;
  launcher: Launcher | null;
  browser: DefaultFileBrowser | null;
  restorer: TabRestorer | null;
}

/** What the content of each tab gets. */
export type Common = Omit<TabInputs, "context"> & {
  tell(message: string): void;
  fail(message: string): void;
};

export type WorkbenchInputs = WorkbenchServices & { common: Common };
