/**
 * Workbench documents in JupyterLab: a file type, the tab that opens such a file, and the command
 * that creates one, in the palette, the launcher and the File menu.
 */

import type { ConnectionRecord } from "../../protocol";
import type {
  Application,
  CommandArguments,
  DefaultFileBrowser,
  DocumentContext,
  DocumentPackage,
  DocumentRegistry,
  DocumentTab,
  Launcher,
  Lumino,
  Palette,
  TabRestorer,
  TrackerPackage,
} from "../jupyter";
import type { Server } from "../server";
import { strings } from "../strings";
import { addStyle } from "../styles";
import style from "./tab.css";

export const SUFFIX = ".audiencelab.json";
export const NEW_WORKBENCH = "audiencelab:new-workbench";

const NAME = "audiencelab-workbench";

interface WorkbenchInputs {
  app: Application & { readonly docRegistry: DocumentRegistry };
  packages: { documents: DocumentPackage; tracking: TrackerPackage; lumino: Lumino };
  server: Server;
  preferred(): Promise<ConnectionRecord | null>;
  icon: object;
  palette: Palette | null;
  launcher: Launcher | null;
  browser: DefaultFileBrowser | null;
  restorer: TabRestorer | null;
}

export function addWorkbench(inputs: WorkbenchInputs): void {
  const { app, packages, icon, palette, launcher, browser, restorer } = inputs;
  const { ABCWidgetFactory, DocumentWidget } = packages.documents;
  addStyle(document, "audiencelab-tab-style", [style]);
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
      const { sessionContext } = context;
      sessionContext.kernelPreference = {
        ...sessionContext.kernelPreference,
        language: "python",
        shouldStart: true,
        canStart: true,
        autoStartDefault: true,
      };
      const content = contentOf(packages.lumino, { ...inputs, context });
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

function contentOf(
  { Widget }: Lumino,
  { app, context, server, preferred }: WorkbenchInputs & { context: DocumentContext },
) {
  class Content extends Widget {
    readonly #lifetime = new AbortController();

    override dispose(): void {
      this.#lifetime.abort();
      super.dispose();
    }

    /** The content is loaded with the first tab. */
    async draw(): Promise<void> {
      const { showWorkbench } = await import("./view");
      if (this.isDisposed) return;
      const open = (path: string) => void app.commands.execute("docmanager:open", { path });
      showWorkbench(this.node, { context, server, preferred, open }, this.#lifetime.signal);
    }
  }
  const content = new Content();
  content.addClass("audiencelab-tab");
  content.node.dataset.audiencelabTab = "";
  void content.draw();
  return content;
}
