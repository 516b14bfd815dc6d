/**
 * Workbench documents in JupyterLab: a file type, the tab that opens such a file, and the command
 * that creates one, in the palette, the launcher and the File menu.
 */

import type { CommandArguments, DocumentContext, DocumentTab } from "../jupyter";
import { strings } from "../strings";
import { addDataFiles } from "./files";
import type { Common, WorkbenchInputs, WorkbenchServices } from "./inputs";
import { addOpening, choosing } from "./opener";
import { SUFFIX } from "./paths";
import { startKernel, tabContent } from "./tabs";

const NEW_WORKBENCH = "audiencelab:new-workbench";

const NAME = "audiencelab-workbench";

/** Adds all; returns what opens a data file or a survey folder in a tab. */
export function addWorkbench(services: WorkbenchServices): (path: string) => Promise<void> {
  const inputs = { ...services, common: commonOf(services) };
  /** Documents that go on with the kernel of the tab of their file. */
  const handed = new Set<string>();
  addDocuments(inputs, (path) => handed.delete(path));
  addDataFiles(inputs, (path) => handed.add(path));
  return addOpening(inputs);
}

function commonOf({ app, notify, browser, packages }: WorkbenchServices): Common {
  return {
    contents: app.serviceManager.contents,
    open: (path: string) => void app.commands.execute("docmanager:open", { path }),
    choose: choosing(packages.browsing, browser),
    tell: (message: string) => {
      notify.success(message, { autoClose: 6_000 });
    },
    fail: (message: string) => {
      notify.error(strings.failed(message), { autoClose: false });
    },
  };
}

function addDocuments(inputs: WorkbenchInputs, isOpen: (path: string) => boolean): void {
  const { app, packages, icon, palette, launcher, browser, restorer } = inputs;
  const { ABCWidgetFactory, DocumentWidget } = packages.documents;
  app.docRegistry.addFileType({
    name: NAME,
    displayName: strings.workbench,
    extensions: [SUFFIX],
    fileFormat: "text",
    contentType: "file",
    mimeTypes: ["application/json"],
    icon,
  });

  class Factory extends ABCWidgetFactory {
    override createNewWidget(context: DocumentContext): DocumentTab {
      startKernel(context);
      const { common, server, preferred } = inputs;
      const content = tabContent(packages.lumino, (view, node, lifetime) => {
        view.showDocument(node, { ...common, context, server, preferred, isOpen }, lifetime);
      });
      const tab = new DocumentWidget({ content, context });
      tab.title.icon = icon;
      return tab;
    }
  }

  const factory = new Factory({
    name: NAME,
    label: strings.workbench,
    fileTypes: [NAME],
    defaultFor: [NAME],
    preferKernel: true,
    canStartKernel: true,
    // All of its state is in the document.
    shutdownOnClose: true,
  });
  const tracker = new packages.tracking.WidgetTracker({ namespace: NAME });
  factory.widgetCreated.connect((_, tab) => void tracker.add(tab));
  app.docRegistry.addWidgetFactory(factory);
  void restorer?.restore(tracker, {
    command: "docmanager:open",
    args: ({ context }) => ({ path: context.path, factory: NAME }),
    name: ({ context }) => context.path,
  });

  app.commands.addCommand(NEW_WORKBENCH, {
    label: ({ isLauncher }) => (isLauncher ? strings.workbench : strings.newWorkbench),
    caption: strings.newWorkbenchCaption,
    icon,
    describedBy: { args: { type: "object", properties: { cwd: { type: "string" } } } },
    async execute({ cwd }: CommandArguments) {
      const path = typeof cwd === "string" ? cwd : (browser?.model.path ?? "");
      const made = await app.commands.execute("docmanager:new-untitled", {
        path,
        type: "file",
        ext: SUFFIX,
      });
      return app.commands.execute("docmanager:open", { path: (made as { path: string }).path });
    },
  });
  const { category } = strings;
  palette?.addItem({ command: NEW_WORKBENCH, category });
  launcher?.add({ command: NEW_WORKBENCH, category, rank: 100, args: { isLauncher: true } });
}
