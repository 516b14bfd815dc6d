/** The application, and the services that it offers to extensions. */
import type {
  CommandArguments,
  CommandRegistry,
  LuminoDisposable,
  LuminoWidget,
  Token,
} from "./lumino";
import type { Contents, ServerSettings, Sessions } from "./services";

export interface Application {
  /** "JupyterLab", or in Notebook 7 "JupyterLab Notebook". */
  readonly name: string;
  readonly commands: CommandRegistry;
  readonly shell: Shell;
  readonly restored: Promise<void>;
  readonly serviceManager: {
    readonly serverSettings: ServerSettings;
    readonly contents: Contents;
    readonly sessions: Sessions;
  };
  /** The menu of what is clicked with the right button. */
  readonly contextMenu: {
    addItem(item: { command: string; selector: string; rank?: number }): LuminoDisposable;
  };
}

export interface Shell {
  add(widget: LuminoWidget, area: "left", options?: { rank?: number }): void;
  activateById(id: string): void;
}

export interface Plugin {
  /** The name of the extension, a colon, and a name within it. */
  id: string;
  description: string;
  autoStart: boolean;
  requires?: Token[];
  optional?: Token[];
  activate(app: Application, ...services: never[]): void;
}

/** Restores the positions of widgets when a page is reloaded. */
export interface Restorer {
  add(widget: LuminoWidget, name: string): void;
}

/** `@jupyterlab/application` */
export interface ApplicationPackage {
  ILayoutRestorer: Token;
}

export interface Palette {
  addItem(item: { command: string; category: string; args?: CommandArguments }): LuminoDisposable;
}

/** `@jupyterlab/apputils` */
export interface ApputilsPackage {
  ICommandPalette: Token;
  Notification: {
    success(message: string, options?: NotificationOptions): string;
    error(message: string, options?: NotificationOptions): string;
  };
  Dialog: { okButton(options?: { label?: string }): object };
  showDialog(options: { title: string; body: LuminoWidget; buttons: object[] }): Promise<unknown>;
}

export interface NotificationOptions {
  /** Milliseconds until it closes; false for never. */
  autoClose?: number | false;
}

export interface Launcher {
  add(item: {
    command: string;
    category: string;
    args?: CommandArguments;
    rank?: number;
  }): LuminoDisposable;
}

/** `@jupyterlab/launcher` */
export interface LauncherPackage {
  ILauncher: Token;
}

/** `@jupyterlab/filebrowser` */
export interface FileBrowserPackage {
  IDefaultFileBrowser: Token;
  FileDialog: {
    getOpenFiles(options: {
      manager: object;
      title: string;
      defaultPath?: string;
      filter(file: FileModel): object | null;
    }): Promise<{
      readonly button: { readonly accept: boolean };
      readonly value: readonly FileModel[] | null;
    }>;
  };
}

export interface FileModel {
  readonly path: string;
  readonly type: string;
}

export interface DefaultFileBrowser {
  readonly model: {
    readonly path: string;
    readonly manager: object;
    /** Writes a file of the desktop into a folder, by default the one that is shown. */
    upload(file: File, folder?: string): Promise<FileModel>;
  };
  selectedItems(): Iterable<FileModel>;
}

/** `@jupyterlab/ui-components` */
export interface UiPackage {
  LabIcon: new (options: { name: string; svgstr: string }) => object;
}
