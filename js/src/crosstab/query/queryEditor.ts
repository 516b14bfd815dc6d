/**
 * Edits of a crosstab's query from the page: sends changes to Python one after another, and asks
 * what there is to choose from. The query itself is in the model.
 */
import { type Signal, signal } from "@preact/signals";
import { type Catalogue, loadCatalogue } from "../../catalogue/model";
import { failureOf } from "../../core/requests";
import type { Trait } from "../../core/traits";
import type { WidgetHost } from "../../ui/host";
import type { Axis, Block, Choices, Edit, QuerySummary, SavedAudience } from "./protocol";
import { words } from "./strings";

export interface QueryEditor {
  readonly host: WidgetHost;
  readonly summary: Trait<QuerySummary | undefined>;
  /** Why a change was not possible; shown until the next one. */
  readonly problem: Signal<string | null>;
  /** While a change is on its way. */
  readonly busy: Signal<boolean>;
  readonly catalogue: Signal<Catalogue | null>;
  /** Makes a change; false, with a problem, if it is not possible. */
  edit(change: Edit): Promise<boolean>;
  undo(): Promise<boolean>;
  redo(): Promise<boolean>;
  /** Loads the questions, once. */
  load(): void;
  choices(): Promise<Choices>;
  blocks(axis: Axis): Promise<{ blocks: Block[]; more: number }>;
  saved(): Promise<SavedAudience[]>;
  /** Shows why a request failed; nothing where it was only cancelled. */
  fail(error: unknown): void;
}

export function createQueryEditor(host: WidgetHost): QueryEditor {
  const { requests } = host;
  const summary = host.trait<QuerySummary | undefined>("_question");
  const problem = signal<string | null>(null);
  const busy = signal(false);
  const catalogue = signal<Catalogue | null>(null);
  let isLoading = false;
  const ask = async <T>(op: string, args: object = {}) =>
    (await requests.request<T>(op, args)).data;
  const fail = (error: unknown) => {
    problem.value = failureOf(error);
  };
  const send = async (op: string, args: object, done: string) => {
    problem.value = null;
    busy.value = true;
    try {
      await ask(op, args);
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
    summary.peek()?.[op] ? send(op, {}, done) : false;
  return {
    host,
    summary,
    problem,
    busy,
    catalogue,
    fail,
    edit: (change) => send("edit", change, words.applied),
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
    choices: () => ask<Choices>("choices"),
    blocks: (axis) => ask<{ blocks: Block[]; more: number }>("blocks", { axis }),
    saved: async () => (await ask<{ audiences: SavedAudience[] }>("saved_audiences")).audiences,
  };
}
