/** The plugin of the sidebar: its parts, and the JupyterLab services that it needs. */
import { computed } from "@preact/signals";
import { addCommands } from "../commands";
import { createDragging } from "../dragging";
import { helpDialog } from "../help";
import { iconsOf } from "../icon";
import type {
  Application,
  ApplicationPackage,
  ApputilsPackage,
  DefaultFileBrowser,
  DocumentPackage,
  DocumentRegistry,
  FileBrowserPackage,
  Launcher,
  LauncherPackage,
  Lumino,
  LuminoCore,
  LuminoDragging,
  NotebookPackage,
  NotebookTracker,
  Palette,
  Plugin,
  Restorer,
  ServicesPackage,
  SettingRegistry,
  SettingsPackage,
  TabRestorer,
  TrackerPackage,
  UiPackage,
} from "../jupyter";
import { followPreferences, preferences } from "../preferences";
import { createServer } from "../server";
import { createPieces } from "../snippets";
import { strings } from "../strings";
import { addWorkbench } from "../workbench/plugin";
import type { SidebarParts } from "./context";
import { createSidebarState } from "./state";
import { createSidebarWidget } from "./widget";

const PLUGIN = "audiencelab:plugin";

/** Below the file browser (100) and running kernels (200), above the table of contents (400). */
const RANK = 300;

/** The host packages that the plugin needs. */
export interface Packages {
  application: ApplicationPackage;
  apputils: ApputilsPackage & TrackerPackage;
  documents: DocumentPackage;
  /** Not available in every Jupyter front end. */
  browser: FileBrowserPackage | null;
  launcher: LauncherPackage | null;
  lumino: Lumino & LuminoCore & LuminoDragging;
  notebook: NotebookPackage;
  services: ServicesPackage;
  settings: SettingsPackage;
  ui: UiPackage;
}

export function sidebarPlugin(packages: Packages): Plugin {
  const { application, apputils, browser, launcher, lumino, notebook, settings } = packages;
  // A token without a provider equals a missing token.
  const none = {};
  return {
    id: PLUGIN,
    description: strings.sidebarPlugin,
    autoStart: true,
    // Optional: Voila has no notebooks, and would report a missing service as an error.
    optional: [
      notebook.INotebookTracker,
      settings.ISettingRegistry,
      apputils.ICommandPalette,
      application.ILayoutRestorer,
      launcher?.ILauncher ?? none,
      browser?.IDefaultFileBrowser ?? none,
    ],
    activate(
      app: Application & { readonly docRegistry: DocumentRegistry },
      tracker: NotebookTracker | null,
      registry: SettingRegistry | null,
      palette: Palette | null,
      restorer: (Restorer & TabRestorer) | null,
      cards: Launcher | null,
      files: DefaultFileBrowser | null,
    ) {
      if (!tracker) return;
      const server = createServer(packages.services, () => app.serviceManager.serverSettings);
      const state = createSidebarState({
        server,
        preferred: computed(() => preferences.value.connection),
        storage: window.localStorage,
      });
      const snippets = createPieces({
        server,
        tracker,
        actions: notebook.NotebookActions,
        preferences: () => preferences.peek(),
      });
      const icons = iconsOf(packages.ui);
      const newNotebook = addCommands({
        app,
        server,
        state,
        snippets,
        icons,
        palette,
        launcher: cards,
        browser: files,
        notify: apputils.Notification,
        showHelp: helpDialog(apputils, lumino),
      });
      const dragging = createDragging({ lumino, snippets });
      const openSurvey = addWorkbench({
        app,
        packages: {
          documents: packages.documents,
          tracking: apputils,
          lumino,
          browsing: files && browser,
        },
        server,
        preferred: async () => {
          await state.ready();
          return state.connection.peek();
        },
        notify: apputils.Notification,
        icon: icons.mark,
        openIcon: icons.of("open"),
        fileIcon: icons.of("file"),
        palette,
        launcher: cards,
        browser: files,
        restorer,
      });
      const parts: SidebarParts = { state, snippets, dragging, newNotebook, openSurvey };
      const widget = createSidebarWidget(lumino, icons.mark, parts);
      app.shell.add(widget, "left", { rank: RANK });
      restorer?.add(widget, widget.id);
      void openAtStart(app, registry, widget.id);
    },
  };
}

async function openAtStart(
  app: Application,
  registry: SettingRegistry | null,
  id: string,
): Promise<void> {
  if (!registry) return;
  await followPreferences(registry, PLUGIN);
  await app.restored;
  if (preferences.peek().openAtStart) app.shell.activateById(id);
}
