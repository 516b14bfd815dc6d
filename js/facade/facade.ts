/**
 * What `src/lab/jupyter` declares of JupyterLab, held against JupyterLab's own types. Compiled by
 * `check.mjs` with the oldest supported and the latest version; never bundled.
 *
 * A member that we read must be there, with what we read of it; of arguments that we pass, every
 * option must be known. What we pass is a part of what JupyterLab's own classes are, so arguments
 * are not compared otherwise.
 */
import type { ILayoutRestorer, JupyterFrontEnd } from "@jupyterlab/application";
import * as application from "@jupyterlab/application";
import type { ICommandPalette, ISessionContext } from "@jupyterlab/apputils";
import * as apputils from "@jupyterlab/apputils";
import * as documents from "@jupyterlab/docregistry";
import type { IDefaultFileBrowser } from "@jupyterlab/filebrowser";
import * as filebrowser from "@jupyterlab/filebrowser";
import type { ILauncher } from "@jupyterlab/launcher";
import * as launcher from "@jupyterlab/launcher";
import type { INotebookModel, INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import * as notebook from "@jupyterlab/notebook";
import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import type { Kernel } from "@jupyterlab/services";
import * as services from "@jupyterlab/services";
import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import * as settings from "@jupyterlab/settingregistry";
import * as ui from "@jupyterlab/ui-components";
import type { CommandRegistry } from "@lumino/commands";
import * as coreutils from "@lumino/coreutils";
import * as dragdrop from "@lumino/dragdrop";
import type { Message } from "@lumino/messaging";
import * as widgets from "@lumino/widgets";
import type * as ours from "../src/lab/jupyter";

/** What is read of a type: its members, and of functions and classes what they return. */
type Read<T> = T extends abstract new (
  ...args: never
) => infer Made
  ? abstract new (
      ...args: never
    ) => Read<Made>
  : T extends (...args: never) => infer Result
    ? (...args: never) => Read<Result>
    : T extends Promise<infer Later>
      ? Promise<Read<Later>>
      : T extends Node | Response | string | number | boolean | null | undefined
        ? T
        : unknown extends T
          ? unknown
          : T extends readonly (infer Item)[]
            ? readonly Read<Item>[]
            : { [K in keyof T as K extends Overridden | Json ? never : K]: Read<T[K]> };

/** Protected members, which only a class of ours can see: see `Page`. */
type Overridden = "onAfterShow" | "onAfterAttach" | "onActivateRequest" | "createNewWidget";

/** What JupyterLab types as any JSON: the message protocol of Jupyter says more. */
type Json = "user_expressions";

class Page extends widgets.Widget {
  protected override onAfterShow(_message: Message): void {}
  protected override onAfterAttach(_message: Message): void {}
  protected override onActivateRequest(_message: Message): void {}
}

class Factory extends documents.ABCWidgetFactory<documents.DocumentWidget> {
  protected override createNewWidget(): never {
    throw new Error("never made");
  }
}

declare function read<Ours>(theirs: Read<Ours>): void;
declare function passed<Ours, Theirs>(
  ...unknown: Exclude<keyof Ours, keyof Theirs> extends never
    ? []
    : [Exclude<keyof Ours, keyof Theirs>]
): void;
declare function some<T>(): T;
/** The options of a function or a class, first in its arguments. */
type Options<F> = F extends abstract new (
  ...args: infer A
) => unknown
  ? NonNullable<A[0]>
  : F extends (...args: infer A) => unknown
    ? NonNullable<A[0]>
    : never;

read<ours.ApplicationPackage>(application);
read<ours.ApputilsPackage>(apputils);
read<ours.TrackerPackage>(apputils);
read<ours.DocumentPackage>({ ...documents, ABCWidgetFactory: Factory });
read<ours.FileBrowserPackage>(filebrowser);
read<ours.LauncherPackage>(launcher);
read<ours.NotebookPackage>(notebook);
read<ours.ServicesPackage>(services);
read<ours.SettingsPackage>(settings);
read<ours.UiPackage>(ui);
read<ours.Lumino>({ Widget: Page });
read<ours.LuminoOutputs>(widgets);
read<ours.LuminoCore>(coreutils);
read<ours.LuminoDragging>(dragdrop);

read<ours.Application>(some<JupyterFrontEnd>());
read<ours.WithDocuments>(some<JupyterFrontEnd>());
read<ours.DocumentRegistry>(some<JupyterFrontEnd>().docRegistry);
read<ours.Palette>(some<ICommandPalette>());
read<ours.Launcher>(some<ILauncher>());
read<ours.Restorer>(some<ILayoutRestorer>());
read<ours.TabRestorer>(some<ILayoutRestorer>());
read<ours.DefaultFileBrowser>(some<IDefaultFileBrowser>());
read<ours.NotebookTracker>(some<INotebookTracker>());
read<ours.NotebookPanel>(some<NotebookPanel>());
read<ours.OutputNotebook>(some<NotebookPanel>());
read<ours.RenderMime>(some<IRenderMimeRegistry>());
read<ours.SessionContext>(some<ISessionContext>());
read<ours.SettingRegistry>(some<ISettingRegistry>());
read<ours.CommKernel>(some<Kernel.IKernelConnection>());
read<ours.Comm>(some<Kernel.IComm>());
read<ours.DocumentContext>(some<documents.DocumentRegistry.Context>());
read<ours.MimeModel>(some<IRenderMime.IMimeModel>());
read<ours.Resolver>(some<IRenderMime.IResolver>());

passed<ours.CommandOptions, CommandRegistry.ICommandOptions>();
passed<Options<ours.Palette["addItem"]>, Options<ICommandPalette["addItem"]>>();
passed<Options<ours.Launcher["add"]>, Options<ILauncher["add"]>>();
passed<ours.NotificationOptions, apputils.Notification.IOptions<null>>();
passed<Options<ours.ApputilsPackage["showDialog"]>, apputils.Dialog.IOptions<unknown>>();
passed<Options<ours.LuminoDragging["Drag"]>, Options<typeof dragdrop.Drag>>();
passed<Options<ours.UiPackage["LabIcon"]>, Options<typeof ui.LabIcon>>();
passed<
  Options<ours.DocumentPackage["ABCWidgetFactory"]>,
  Options<typeof documents.ABCWidgetFactory>
>();
passed<
  Options<ours.DocumentRegistry["addFileType"]>,
  Options<documents.DocumentRegistry["addFileType"]>
>();
passed<ours.NewCell, Parameters<INotebookModel["sharedModel"]["insertCell"]>[1]>();
passed<ours.MimeExtension, IRenderMime.IExtension>();
passed<ours.MimeExtension["rendererFactory"], IRenderMime.IRendererFactory>();
