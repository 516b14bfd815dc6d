/** The deck of a crosstab, as its panel changes it: the kernel has the list, and counts it. */
import { type Signal, signal } from "@preact/signals";
import { failureOf } from "../../core/answers";
import type { AddToDeck, DeckEdit, GridWidget, SkippedItem } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { words } from "./deckStrings";
import { Delivery } from "./delivery";

export type DeckEntry = ReturnType<Deck["entries"]>[number];

/** The largest template that is sent to the kernel. */
const MOST_BYTES = 8_000_000;

export class Deck {
  readonly delivery: Delivery;
  readonly trouble: Signal<string> = signal("");
  /** The items that are not in the file that was written last. */
  readonly skipped: Signal<readonly SkippedItem[]> = signal([]);
  readonly templates: Signal<readonly string[]> = signal([]);

  constructor(private readonly host: WidgetHost<GridWidget>) {
    this.delivery = new Delivery(host);
  }

  get summary() {
    return this.host.trait("_deck").value;
  }

  entries() {
    return this.summary?.items ?? [];
  }

  /** Adds what is shown; returns whether that worked. */
  async add(shown: Omit<AddToDeck, "do">): Promise<boolean> {
    const before = this.entries().length;
    const done = await this.edit({ do: "add", ...shown });
    if (done) this.host.announce(words.added(before + 1));
    return done;
  }

  async edit(edit: DeckEdit, buffers: ArrayBuffer[] = []): Promise<boolean> {
    const options = { signal: this.host.lifetime, buffers };
    return this.#trying(() => this.host.requests.request("deck", edit, options));
  }

  /** Counts the deck and writes its file. */
  async save(): Promise<void> {
    this.skipped.value = [];
    const { beside } = this.delivery;
    await this.#trying(async () => {
      const header = await this.delivery.run(words.savingDeck, (options) =>
        this.host.requests.request("write_deck", { beside }, options),
      );
      this.skipped.value = header.skipped;
    });
  }

  async findTemplates(): Promise<void> {
    const { requests, lifetime } = this.host;
    const found = await requests.request("templates", {}, { signal: lifetime }).catch(() => null);
    if (found) this.templates.value = found.data.names;
  }

  /** A presentation from this machine, which the kernel writes beside the notebook. */
  async upload(file: File): Promise<void> {
    if (file.size > MOST_BYTES) {
      this.trouble.value = words.largeTemplate;
      return;
    }
    await this.edit({ do: "template", name: file.name }, [await file.arrayBuffer()]);
    await this.findTemplates();
  }

  async #trying(work: () => Promise<unknown>): Promise<boolean> {
    this.trouble.value = "";
    try {
      await work();
      return true;
    } catch (error) {
      const why = failureOf(error);
      if (why !== null) {
        this.trouble.value = why;
        this.host.announce(why);
      }
      return false;
    }
  }
}
