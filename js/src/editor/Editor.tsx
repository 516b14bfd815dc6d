/** The audience editor: its name, the tree with its sizes, and the audience as text and code. */
import "./editor.css";
import "./panels.css";
import { computed, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Catalogue, loadCatalogue } from "../catalogue/model";
import { KernelGone } from "../core/answers";
import { isAbort } from "../core/lifetime";
import { createUndoStack } from "../core/undo";
import type { EditorWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";
import { pressUndo } from "../ui/keyboard";
import { strings as shared } from "../ui/strings";
import { Comparison } from "./Comparison";
import { createClipboard } from "./clipboard";
import { createComparing } from "./comparing";
import { Parts, useEditor } from "./context";
import { createEdits } from "./edits";
import { type Measuring, startMeasuring } from "./measuring";
import { Output } from "./Output";
import { createSaving } from "./saving";
import { createEditorState } from "./state";
import { words } from "./strings";
import { Toolbar } from "./Toolbar";
import { Treegrid } from "./Treegrid";

export function Editor({ host }: { host: WidgetHost<EditorWidget> }) {
  const editor = useMemo(() => createEditor(host), [host]);
  const { state, edits, clipboard, saving, failure, load } = editor;
  return (
    <Parts.Provider value={editor}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles undo for every part inside */}
      <div
        class="al-editor"
        onCopy={clipboard.onCopy}
        onCut={clipboard.onCut}
        onPaste={clipboard.onPaste}
        onKeyDown={(event) => {
          const target = event.target as Element;
          const row = target.closest<HTMLElement>("[data-node]")?.dataset.node;
          if (!pressUndo(event, edits)) return;
          // Undo may remove the focused row; the focus then moves to another row.
          const gone = row && !state.rows.peek().some(({ node }) => node.id === row);
          if (gone) state.focus(state.activeId.peek());
        }}
      >
        <Toolbar />
        {failure.value !== null && (
          <div class="al-editor-problem al-error">
            {words.catalogueFailed(failure.value)}{" "}
            <button type="button" class="al-link" onClick={load}>
              {shared.retry}
            </button>
          </div>
        )}
        {state.notice.value !== null && (
          <div class="al-editor-problem al-error" role="alert">
            <span>{state.notice.value}</span> {saving.conflict.value && <Conflict />}
            <button
              type="button"
              class="al-link"
              onClick={() => {
                state.notice.value = null;
              }}
            >
              {words.dismiss}
            </button>
          </div>
        )}
        <Treegrid />
        <Comparison />
        <Output />
      </div>
    </Parts.Provider>
  );
}

/** What can be done where someone else saved the audience in the meantime. */
function Conflict() {
  const { saving, measuring } = useEditor();
  const choices: [string, () => Promise<void>][] = [
    [words.saveOver, () => saving.save({ overwrite: true })],
  ];
  // Reading and creating need the service in the kernel's process.
  if (measuring.context.value?.shelf) {
    choices.unshift([words.loadTheirs, saving.openTheirs]);
    choices.push([words.saveBeside, () => saving.save({ asNew: true })]);
  }
  return choices.map(([label, choose]) => (
    <>
      <button key={label} type="button" class="al-link" onClick={choose}>
        {label}
      </button>{" "}
    </>
  ));
}

function createEditor(host: WidgetHost<EditorWidget>) {
  const catalogue = signal<Catalogue | null>(null);
  const failure = signal<string | null>(null);
  const load = () => {
    failure.value = null;
    loadCatalogue(host.requests)
      .then((loaded) => {
        catalogue.value = loaded;
      })
      .catch((error: Error) => {
        if (!isAbort(error) && !(error instanceof KernelGone)) failure.value = error.message;
      });
  };
  // The waves of expressions arrive with the context of the sizes.
  const context = computed(() => measuring.context.value);
  const document = host.trait("document");
  const state = createEditorState({ document, catalogue, context });
  const announce = (sentence: string) => host.announce(sentence);
  const history = host.shared("history", () => createUndoStack(document.peek()));
  const edits = createEdits(state, { document, history, announce, lifetime: host.lifetime });
  const { requests } = host;
  const clipboard = createClipboard({ state, edits, requests, announce });
  const saved = host.trait("saved");
  const saving = createSaving({ state, edits, requests, saved, announce });
  const revision = host.trait("revision").signal;
  const measuring: Measuring = startMeasuring({
    requests: host.requests,
    document: state.document,
    faults: state.faults,
    ready: computed(() => catalogue.value !== null && context.value !== null),
    revision,
    lifetime: host.lifetime,
  });
  const comparing = createComparing({
    requests,
    counted: measuring.wording,
    revision,
    lifetime: host.lifetime,
  });
  load();
  return { state, edits, clipboard, saving, comparing, measuring, failure, load };
}
