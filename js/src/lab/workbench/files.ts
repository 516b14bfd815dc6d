/**
 * Data files and survey folders in JupyterLab: a tab that opens one as a survey. It is the default
 * for formats that JupyterLab cannot show, and in "Open With" for tables of text.
 */
import { BY_ITSELF } from "../../protocol/atStart";
import type { DocumentContext, DocumentTab, Sessions } from "../jupyter";
import { strings } from "../strings";
import type { WorkbenchInputs } from "./inputs";
import { DATA_FILE, openedBy } from "./paths";
import { startKernel, tabContent } from "./tabs";

/** File types of JupyterLab that may be a survey, too. */
const TABLES = ["csv", "tsv"];

/**
 * Adds the file type and its tab.
 *
 * @param handOver Keeps the kernel of a tab for the document at a path.
 */
export function addDataFiles(inputs: WorkbenchInputs, handOver: (path: string) => void): void {
  const { app, packages, common, restorer, fileIcon: icon } = inputs;
  const { docRegistry, commands } = app;
  const { ABCWidgetFactory, TextModelFactory } = packages.documents;
  const { MainAreaWidget, WidgetTracker } = packages.tracking;

  /** The content of the file, which may be large, is not loaded. */
  class Unread extends TextModelFactory {
    override get name() {
      return DATA_FILE;
    }

    override get fileFormat() {
      return null;
    }
  }

  class Factory extends ABCWidgetFactory {
    override createNewWidget(context: DocumentContext): DocumentTab {
      startKernel(context);
      // Looking writes nothing, least of all a copy of a large file.
      context.createCheckpoint = async () => null;
      context.listCheckpoints = async () => [];
      const replaceBy = (path: string) => {
        // First, because a page has the widgets of a kernel by one connection only.
        tab.dispose();
        void commands.execute("docmanager:open", { path });
      };
      const continueAs = async (path: string) => {
        const { sessionContext } = context;
        const kept = { ...sessionContext.kernelPreference, shutdownOnDispose: false };
        sessionContext.kernelPreference = kept;
        // The name first. A context whose path changes sends a name that differs by itself, and an
        // answer after the end of this tab would connect it to the kernel again.
        await sessionContext.session?.setName(path.slice(path.lastIndexOf("/") + 1));
        await sessionContext.session?.setPath(path);
        tab.dispose();
        await untilListed(app.serviceManager.sessions, path);
        handOver(path);
        replaceBy(path);
        common.tell(strings.savedAs(path));
      };
      const content = tabContent(packages.lumino, (view, node, lifetime) => {
        view.showFile(node, { ...common, context, continueAs, replaceBy }, lifetime);
      });
      const tab = Object.assign(new MainAreaWidget({ content }), { context });
      const named = () => {
        const path = openedBy(context.path);
        tab.title.label = path.slice(path.lastIndexOf("/") + 1);
      };
      context.pathChanged.connect(named);
      named();
      tab.title.icon = icon;
      return tab;
    }
  }

  docRegistry.addModelFactory(new Unread());
  docRegistry.addFileType({
    name: DATA_FILE,
    displayName: strings.dataFile,
    extensions: [...BY_ITSELF],
    fileFormat: "base64",
    contentType: "file",
    mimeTypes: ["application/octet-stream"],
    icon,
  });
  const factory = new Factory({
    name: DATA_FILE,
    label: strings.openAsSurvey,
    modelName: DATA_FILE,
    fileTypes: [DATA_FILE, ...TABLES],
    defaultFor: [DATA_FILE],
    readOnly: true,
    preferKernel: true,
    canStartKernel: true,
    shutdownOnClose: true,
  });
  const tracker = new WidgetTracker({ namespace: DATA_FILE });
  factory.widgetCreated.connect((_, tab) => void tracker.add(tab));
  docRegistry.addWidgetFactory(factory);
  void restorer?.restore(tracker, {
    command: "docmanager:open",
    args: ({ context }) => ({ path: context.path, factory: DATA_FILE }),
    name: ({ context }) => context.path,
  });
}

/** Waits until the page knows the session of a path, by which a document's tab finds it. */
async function untilListed(sessions: Sessions, path: string): Promise<void> {
  const isListed = () => [...sessions.running()].some((each) => each.path === path);
  // An answer that is on its way may have left the server before the path was changed.
  for (let tries = 3; tries && !isListed(); tries--) {
    await sessions.refreshRunning().catch(() => {});
  }
}
