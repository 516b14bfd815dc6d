/**
 * Edits the query of a crosstab: sends changes to Python one after another, and loads questions and
 * audiences to choose from. The query itself is in the model.
 */
import { type Signal, signal } from "@preact/signals";
import { type Catalogue, loadCatalogue } from "../../catalogue/model";
import { failureOf } from "../../core/answers";
import type { Trait } from "../../core/traits";
import type {
  Blocks,
  Choices,
  Edit,
  GridWidget,
  QuerySummary,
  SavedAudienceRecord,
} from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { Axis } from "./protocol";
import { words } from "./strings";

export interface QueryEditor {
  readonly host: WidgetHost<GridWidget>;
  readonly summary: Trait<QuerySummary>;
  /** Why a change was rejected; shown until the next one. */
  readonly problem: Signal<string | null>;
  /** True while a change is being sent. */
  readonly busy: Signal<boolean>;
  readonly catalogue: Signal<Catalogue | null>;
  /** The number of the table in view, whose positions the changes of a panel that opens mean. */
  table(): number | null;
  /** Sends a change; false, with `problem` set, if it is rejected. */
  edit(change: Edit): Promise<boolean>;
  undo(): Promise<boolean>;
  redo(): Promise<boolean>;
  /** Loads the questions, once. */
  load(): void;
  choices(): Promise<Choices>;
  blocks(axis: Axis): Promise<Blocks>;
  saved(): Promise<readonly SavedAudienceRecord[]>;
  /** Shows why a request failed; ignores cancelled requests. */
  fail(error: unknown): void;
}

export function createQueryEditor(host: WidgetHost<GridWidget>): QueryEditor {
  const { requests } = host;
  const summary = host.trait("_question");
  const problem = signal<string | null>(null);
  const busy = signal(false);
  const catalogue = signal<Catalogue | null>(null);
  const table = () => host.trait("_table").peek()?.generation ?? null;
  let isLoading = false;
  const fail = (error: unknown) => {
    problem.value = failureOf(error);
  };
  const send = async (change: () => Promise<unknown>, done: string) => {
    problem.value = null;
    busy.value = true;
    try {
      await change();
      host.announce(done);
      return true;
    } catch (error) {
      fail(error);
      return false;
    } finally {
      busy.value = false;
    }
  };
  const step = async (op: "undo" | "redo", done: string) =>
    summary.peek()?.[op] ? send(() => requests.request(op, {}), done) : false;
  return {
    host,
    summary,
    problem,
    busy,
    catalogue,
    fail,
    table,
    edit: (change) => {
      const numbered = "places" in change || "keep" in change;
      const sent = numbered ? { table: table(), ...change } : change;
      return send(() => requests.request("edit", sent), words.applied);
    },
    undo: () => step("undo", words.undone),
    redo: () => step("redo", words.redone),
    load: () => {
      if (isLoading) return;
      isLoading = true;
      loadCatalogue(requests).then(
        (loaded) => {
          catalogue.value = loaded;
        },
        (error: unknown) => {
          isLoading = false;
          fail(error);
        },
      );
    },
    choices: async () => (await requests.request("choices", {})).data,
    blocks: async (axis) => (await requests.request("blocks", { axis })).data,
    saved: async () => (await requests.request("saved_audiences", {})).data.audiences,
  };
}
