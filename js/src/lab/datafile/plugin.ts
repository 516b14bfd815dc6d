/**
 * Data files in JupyterLab: a tab that shows how such a file is opened as a survey. It is the
 * default for formats that JupyterLab cannot show, and in "Open With" for tables of text.
 */
import { copyText } from "../../core/clipboard";
import { strings as shared } from "../../ui/strings";
import type {
  Application,
  ApputilsPackage,
  DocumentContext,
  DocumentPackage,
  DocumentRegistry,
  DocumentTab,
  Lumino,
} from "../jupyter";
import { folderOf } from "../paths";
import type { Server } from "../server";
import { strings } from "../strings";
import { addStyle } from "../styles";
import style from "./tab.css";

const NAME = "audiencelab-data-file";

/** Formats that JupyterLab cannot show. */
const EXTENSIONS = [
  ...[".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".xlsx"],
  ...[".parquet", ".pq", ".feather", ".arrow", ".ipc"],
];

/** File types of JupyterLab that may be a survey, too. */
const TABLES = ["csv", "tsv"];

/** The template of a notebook that shows the questions and a first table. */
const TEMPLATE = "crosstab";

interface DataFileInputs {
  app: Application & { readonly docRegistry: DocumentRegistry };
  packages: { documents: DocumentPackage; lumino: Lumino };
  server: Server;
  notify: ApputilsPackage["Notification"];
  icon: object;
}

/** Python that opens a file in a notebook beside it. */
export function codeOf(name: string): string {
  return `import audiencelab as al\n\nclient = al.open(${JSON.stringify(name)})`;
}

export function addDataFiles(inputs: DataFileInputs): void {
  const { docRegistry } = inputs.app;
  const { ABCWidgetFactory, DocumentWidget, TextModelFactory } = inputs.packages.documents;
  addStyle(document, "audiencelab-file-style", [style]);

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
      draw(content.node, context.path, inputs);
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

function draw(node: HTMLElement, path: string, { app, server, notify }: DataFileInputs): void {
  const page = node.ownerDocument;
  const made = (tag: string, text: string) => {
    const element = page.createElement(tag);
    element.textContent = text;
    return element;
  };
  const button = (label: string, run: (button: HTMLElement) => Promise<void>) => {
    const found = page.createElement("button");
    found.type = "button";
    found.className = "jp-mod-styled";
    found.textContent = label;
    found.addEventListener("click", () => {
      run(found).catch((error: Error) => {
        notify.error(strings.failed(error.message), { autoClose: false });
      });
    });
    return found;
  };
  const local = folderOf(path);
  const at = local.lastIndexOf("/") + 1;
  const name = local.slice(at);
  const open = button(strings.openInNotebook, async () => {
    const notebook = await server.create(TEMPLATE, local.slice(0, at), { file: name });
    await app.commands.execute("docmanager:open", { path: notebook });
  });
  open.classList.add("jp-mod-accept");
  const copy = button(strings.copyCode, async (pressed) => {
    const worked = await copyText(codeOf(name), node);
    pressed.textContent = worked ? shared.copied : shared.copyFailed;
  });
  const buttons = made("p", "");
  buttons.append(open, copy);
  node.append(
    made("h2", name),
    made("p", strings.howToOpen),
    made("pre", codeOf(name)),
    buttons,
    made("p", strings.orImport(name)),
  );
}
