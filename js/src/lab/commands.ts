/**
 * The commands of the extension, in the palette, the launcher, and (by the settings schema) the
 * menus. Other modules implement them.
 */

import type { Template } from "../protocol";
import type {
  Application,
  ApputilsPackage,
  CommandArguments,
  DefaultFileBrowser,
  Launcher,
  Palette,
} from "./jupyter";
import { folderOf } from "./paths";
import type { Server } from "./server";
import type { SidebarState } from "./sidebar/state";
import { SIDEBAR_ID } from "./sidebar/widget";
import type { Kind, Snippets } from "./snippets";
import { strings } from "./strings";

const COMMANDS = {
  newNotebook: "audiencelab:new-notebook",
  showSidebar: "audiencelab:show-sidebar",
  insertStats: "audiencelab:insert-stats",
  insertCrosstab: "audiencelab:insert-crosstab",
  insertAudience: "audiencelab:insert-audience",
  checkConnection: "audiencelab:check-connection",
  help: "audiencelab:help",
} as const;

interface CommandInputs {
  app: Application;
  server: Server;
  state: SidebarState;
  snippets: Snippets;
  notify: ApputilsPackage["Notification"];
  icons: { mark: object; of(picture: string): object };
  palette: Palette | null;
  launcher: Launcher | null;
  browser: DefaultFileBrowser | null;
  showHelp(): void;
}

/** Adds the commands; returns the function that creates a notebook from the first template. */
export function addCommands(inputs: CommandInputs): () => Promise<void> {
  const { app, server, state, snippets, notify, icons, palette, browser } = inputs;
  const { commands } = app;
  const templates = new Map<string, Template>();
  const asked = (args: CommandArguments) => templates.get(String(args.template ?? ""));

  async function newNotebook(args: CommandArguments): Promise<void> {
    try {
      await state.ready();
      const first = [...templates.keys()][0] ?? (await server.templates())[0]?.name;
      const template = String(args.template ?? first ?? "");
      const folder = folderOf(typeof args.cwd === "string" ? args.cwd : browser?.model.path);
      const connection = state.connection.peek()?.name ?? "";
      const path = await server.create(template, folder, connection);
      await commands.execute("docmanager:open", { path });
    } catch (error) {
      notify.error(strings.failed((error as Error).message), { autoClose: false });
    }
  }

  async function insert(kind: Kind): Promise<void> {
    const snippet = state.pickedPiece(kind, strings.pieces[kind]);
    if (!snippet) {
      notify.error(strings.nothingPicked, { autoClose: 6_000 });
      return;
    }
    try {
      await snippets.insert(snippet);
    } catch (error) {
      notify.error((error as Error).message, { autoClose: false });
    }
  }

  async function check(): Promise<void> {
    await state.ready();
    const { value: listed } = state.listed;
    if (listed.is === "failed") {
      notify.error(listed.message, { autoClose: false });
      return;
    }
    const found = await state.check();
    const title = state.connection.peek()?.title ?? strings.noSurvey;
    if (found?.status === "ready") {
      notify.success(`${title}: ${found.message}`, { autoClose: 6_000 });
    } else if (found) {
      notify.error(`${title}: ${found.message}`, { autoClose: false });
    }
  }

  commands.addCommand(COMMANDS.newNotebook, {
    label: (args) => {
      const template = asked(args);
      if (!template) return strings.newNotebook;
      // On a card, the section names the extension.
      return args.cwd === undefined && !args.isLauncher
        ? strings.newFrom(template.title)
        : template.title;
    },
    caption: (args) => asked(args)?.description ?? strings.newCaption,
    icon: (args) => icons.of(asked(args)?.icon ?? ""),
    execute: newNotebook,
    describedBy: {
      args: {
        type: "object",
        properties: { template: { type: "string" }, cwd: { type: "string" } },
      },
    },
  });
  const plain: [string, string, () => unknown][] = [
    [COMMANDS.showSidebar, strings.showSidebar, () => app.shell.activateById(SIDEBAR_ID)],
    [COMMANDS.insertStats, strings.insertStats, () => insert("question")],
    [COMMANDS.insertCrosstab, strings.insertCrosstab, () => insert("crosstab")],
    [COMMANDS.insertAudience, strings.insertAudience, () => insert("audience")],
    [COMMANDS.checkConnection, strings.checkConnection, check],
    [COMMANDS.help, strings.help, () => inputs.showHelp()],
  ];
  for (const [id, label, execute] of plain)
    commands.addCommand(id, { label, icon: icons.mark, execute });
  for (const command of Object.values(COMMANDS)) {
    palette?.addItem({ command, category: strings.category });
  }
  void server.templates().then(
    (all) => {
      for (const template of all) templates.set(template.name, template);
      offer(all, inputs);
    },
    // Without the server extension there are no templates; the sidebar explains why.
    () => {},
  );
  return () => newNotebook({});
}

/** Every template is a launcher card and a palette command. */
function offer(all: readonly Template[], { palette, launcher }: CommandInputs): void {
  for (const [rank, { name }] of all.entries()) {
    const command = COMMANDS.newNotebook;
    const { category } = strings;
    palette?.addItem({ command, category, args: { template: name } });
    launcher?.add({ command, category, rank, args: { template: name, isLauncher: true } });
  }
}
