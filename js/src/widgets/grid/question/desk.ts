/**
 * Where the page edits the question of a grid: sends changes to Python one after another, and asks
 * it what there is to choose from. What is asked itself lives in the model.
 */
import { type Signal, signal } from "@preact/signals";
import type { WidgetHost } from "../../../shared/host";
import { failureOf } from "../../../shared/requests";
import type { Trait } from "../../../shared/traits";
import { type Catalogue, loadCatalogue } from "../../picker/catalogue";
import type { Axis, Block, Choices, Edit, QuestionTold, SavedAudience } from "./protocol";
import { words } from "./strings";

export class QuestionDesk {
  readonly told: Trait<QuestionTold | undefined>;
  /** What could not be done, in words; it is told until the next change. */
  readonly trouble: Signal<string | null> = signal(null);
  /** While a change is on its way. */
  readonly busy: Signal<boolean> = signal(false);
  readonly catalogue: Signal<Catalogue | null> = signal(null);
  #loading = false;

  constructor(readonly host: WidgetHost) {
    this.told = host.trait<QuestionTold | undefined>("_question");
  }

  /** Makes a change; false, with the trouble told, if it could not be made. */
  edit(change: Edit, done: string = words.applied): Promise<boolean> {
    return this.#send("edit", change, done);
  }

  undo(): Promise<boolean> {
    return this.#step("undo", words.undone);
  }

  redo(): Promise<boolean> {
    return this.#step("redo", words.redone);
  }

  /** Has the questions come; harmless when repeated. */
  load(): void {
    if (this.#loading) return;
    this.#loading = true;
    loadCatalogue(this.host.requests).then(
      (catalogue) => {
        this.catalogue.value = catalogue;
      },
      (error: unknown) => {
        this.#loading = false;
        this.trouble.value = failureOf(error);
      },
    );
  }

  async choices(): Promise<Choices> {
    return (await this.host.requests.request<Choices>("choices")).data;
  }

  async blocks(axis: Axis): Promise<{ blocks: Block[]; more: number }> {
    const asked = this.host.requests.request<{ blocks: Block[]; more: number }>("blocks", { axis });
    return (await asked).data;
  }

  async saved(): Promise<SavedAudience[]> {
    const { requests } = this.host;
    const { data } = await requests.request<{ audiences: SavedAudience[] }>("saved_audiences");
    return data.audiences;
  }

  #step(op: "undo" | "redo", done: string): Promise<boolean> {
    return this.told.peek()?.[op] ? this.#send(op, {}, done) : Promise.resolve(false);
  }

  async #send(op: string, args: object, done: string): Promise<boolean> {
    this.trouble.value = null;
    this.busy.value = true;
    try {
      await this.host.requests.request(op, args);
      this.host.announce(done);
      return true;
    } catch (error) {
      this.trouble.value = failureOf(error);
      return false;
    } finally {
      this.busy.value = false;
    }
  }
}
