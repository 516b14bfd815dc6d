/**
 * The command that opens a data file or a survey folder, by its path, by the selection of the file
 * browser, by a dialog, and by a drop.
 */

import type {
  Application,
  CommandArguments,
  DefaultFileBrowser,
  FileBrowserPackage,
  FileModel,
} from "../jupyter";
import { strings } from "../strings";
import type { WorkbenchInputs } from "./inputs";
import { DATA_FILE, exists, isData, MANIFEST, SUFFIX } from "./paths";

const OPEN = "audiencelab:open-survey";
const OPEN_SELECTED = "audiencelab:open-selected";

/** Has the user choose a data file; null where there is no file browser. */
export function choosing(
  browsing: FileBrowserPackage | null,
  browser: DefaultFileBrowser | null,
): ((folder: string) => Promise<string | null>) | null {
  if (!browsing || !browser) return null;
  return async (folder) => {
    const { button, value } = await browsing.FileDialog.getOpenFiles({
      manager: browser.model.manager,
      title: strings.chooseTitle,
      defaultPath: folder,
      filter: ({ type, path }) => (type === "directory" || isData(path) ? {} : null),
    });
    return button.accept ? (value?.[0]?.path ?? null) : null;
  };
}

/** Adds the commands; returns what opens a path. */
export function addOpening(inputs: WorkbenchInputs): (path: string) => Promise<void> {
  const { app, browser, common, openIcon: icon, palette, launcher } = inputs;
  const { commands } = app;

  async function open(path: string): Promise<void> {
    try {
      const { type } = await common.contents.get(path, { content: false });
      const isFolder = type === "directory";
      const file = isFolder ? `${path}/${MANIFEST}` : path;
      if (isFolder && !(await exists(common.contents, file))) {
        throw new Error(strings.noSurveyFolder(path));
      }
      const factory = path.endsWith(SUFFIX) || path.endsWith(".ipynb") ? "default" : DATA_FILE;
      await commands.execute("docmanager:open", { path: file, factory });
    } catch (error) {
      common.fail((error as Error).message);
    }
  }

  const selected = (): FileModel[] => [...(browser?.selectedItems() ?? [])];
  commands.addCommand(OPEN, {
    label: strings.openSurvey,
    caption: strings.openSurveyCaption,
    icon,
    describedBy: { args: { type: "object", properties: { path: { type: "string" } } } },
    async execute({ path, cwd }: CommandArguments) {
      const folder = typeof cwd === "string" ? cwd : (browser?.model.path ?? "");
      const chosen = typeof path === "string" ? path : await common.choose?.(folder);
      if (typeof chosen === "string") await open(chosen);
    },
  });
  commands.addCommand(OPEN_SELECTED, {
    label: strings.openAsSurvey,
    icon,
    isVisible: () => {
      const [first, ...others] = selected();
      return !!first && !others.length && (first.type === "directory" || isData(first.path));
    },
    execute: () => Promise.all(selected().map(({ path }) => open(path))),
  });
  const { category } = strings;
  if (common.choose) {
    palette?.addItem({ command: OPEN, category });
    launcher?.add({ command: OPEN, category, rank: 0 });
  }
  addToMenu(app);
  if (browser) {
    void import("./dropping").then(({ acceptDrops }) => acceptDrops({ browser, isData, open }));
  }
  return open;
}

function addToMenu({ contextMenu }: Application): void {
  // Below "Open", which JupyterLab ranks 1.
  contextMenu.addItem({ command: OPEN_SELECTED, selector: ".jp-DirListing-item", rank: 1.5 });
}
