/**
 * Data files in JupyterLab: a tab that shows how such a file is opened as a survey. It is the
 * default for formats that JupyterLab cannot show, and in "Open With" for tables of text.
 */
import type {
  Application,
  ApputilsPackage,
  DocumentContext,
  DocumentPackage,
  DocumentRegistry,
  DocumentTab,
  Lumino,
} from "../jupyter";
import type { Server } from "../server";
import { strings } from "../strings";

const NAME = "audiencelab-data-file";

/** Formats that JupyterLab cannot show. */
const EXTENSIONS = [
  ...[".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".xlsx"],
  ...[".parquet", ".pq", ".feather", ".arrow", ".ipc"],
];

/** File types of JupyterLab that may be a survey, too. */
const TABLES = ["csv", "tsv"];

interface DataFileInputs {
  app: Application & { readonly docRegistry: DocumentRegistry };
  packages: { documents: DocumentPackage; lumino: Lumino };
  server: Server;
  notify: ApputilsPackage["Notification"];
  icon: object;
}

export function addDataFiles(inputs: DataFileInputs): void {
  const { docRegistry } = inputs.app;
  const { ABCWidgetFactory, DocumentWidget, TextModelFactory } = inputs.packages.documents;

  /** The content of the file, which may be large, is not loaded. */
  class Unread extends TextModelFactory {
    override get name() {
      return NAME;
    }

    override get fileFormat() {
      return null;
    }
  }

  class Factory extends ABCWidgetFactory {
    override createNewWidget(context: DocumentContext): DocumentTab {
      const content = new inputs.packages.lumino.Widget();
      content.addClass("audiencelab-file");
      // With the first tab alone.
      import("./tab").then(
        ({ draw }) => draw(content.node, context.path, inputs),
        (error: Error) => inputs.notify.error(strings.failed(error.message), { autoClose: false }),
      );
      const tab = new DocumentWidget({ content, context });
      tab.title.icon = inputs.icon;
      return tab;
    }
  }

  docRegistry.addModelFactory(new Unread());
  docRegistry.addFileType({
    name: NAME,
    displayName: strings.dataFile,
    extensions: EXTENSIONS,
    fileFormat: "base64",
    contentType: "file",
    mimeTypes: ["application/octet-stream"],
    icon: inputs.icon,
  });
  docRegistry.addWidgetFactory(
    new Factory({
      name: NAME,
      label: strings.openAsSurvey,
      modelName: NAME,
      fileTypes: [NAME, ...TABLES],
      defaultFor: [NAME],
      readOnly: true,
    }),
  );
}
