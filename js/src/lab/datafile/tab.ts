/** What the tab of a data file shows: its name, the code that opens it, and two buttons. */
import { copyText } from "../../core/clipboard";
import { strings as shared } from "../../ui/strings";
import type { Application, ApputilsPackage } from "../jupyter";
import { folderOf } from "../paths";
import type { Server } from "../server";
import { strings } from "../strings";
import { addStyle } from "../styles";
import style from "./tab.css";

/** The template of a notebook that shows the questions and a first table. */
const TEMPLATE = "crosstab";

interface TabInputs {
  app: Application;
  server: Server;
  notify: ApputilsPackage["Notification"];
}

/** Python that opens a file in a notebook beside it. */
export function codeOf(name: string): string {
  return `import audiencelab as al\n\nclient = al.open(${JSON.stringify(name)})`;
}

export function draw(node: HTMLElement, path: string, { app, server, notify }: TabInputs): void {
  const page = node.ownerDocument;
  addStyle(page, "audiencelab-file-style", [style]);
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
