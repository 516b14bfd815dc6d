/**
 * Files that the kernel makes: written beside the notebook where its host can show them, else saved
 * by the browser. One at a time; a newer one stops the one before.
 */
import { type Signal, signal } from "@preact/signals";
import type { Answer } from "../../core/answers";
import { childLifetime, debounced } from "../../core/lifetime";
import { canInsert, fillsTab } from "../../core/notebook";
import type { FileHeader, GridWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { download } from "./download";
import { words } from "./strings";

export interface PlacedFile {
  readonly name: string;
  /** Whether the notebook's host shows it in a tab. */
  readonly opens: boolean;
  /** Saves it by the browser as well. */
  save(): Promise<void>;
}

export type Asked = { signal: AbortSignal; key: string };

const SAID_MS = 3_000;

const SHOWN = /\.(html|svg|png|csv)$/;

export class Delivery {
  /** The status of the running export; null for none. */
  readonly busy: Signal<string | null> = signal(null);
  /** The last file that was written beside the notebook. */
  readonly placed: Signal<PlacedFile | null> = signal(null);
  /** What was done without a file, for a short time. */
  readonly said: Signal<string | null> = signal(null);
  readonly #unsay: () => void;
  #life: AbortController | null = null;

  constructor(private readonly host: WidgetHost<GridWidget>) {
    this.#unsay = debounced(SAID_MS, host.lifetime, () => {
      this.said.value = null;
    });
  }

  /** Shows and announces a sentence. */
  say(sentence: string): void {
    this.placed.value = null;
    this.said.value = sentence;
    this.host.announce(sentence);
    this.#unsay();
  }

  /** Whether files are to be written beside the notebook. */
  get beside(): boolean {
    return canInsert(this.host.root) || fillsTab(this.host.root);
  }

  /** Asks for a file and delivers it; rejects as the request does. */
  async run<H extends FileHeader>(
    status: string,
    ask: (options: Asked) => Promise<Answer<H>>,
  ): Promise<H> {
    this.stop();
    this.placed.value = null;
    this.said.value = null;
    const life = childLifetime(this.host.lifetime);
    this.#life = life;
    this.busy.value = status;
    try {
      const first = await ask({ signal: life.signal, key: "export" });
      const { data: header } = first;
      const save = async (signal: AbortSignal) =>
        download(await this.#whole(first, signal), header.name, this.host.root);
      if (header.beside) {
        this.placed.value = {
          name: header.name,
          opens: SHOWN.test(header.name),
          save: () => save(this.host.lifetime),
        };
      } else await save(life.signal);
      this.host.announce(header.beside ? words.beside(header.name) : words.saved(header.name));
      return header;
    } finally {
      if (this.#life === life) this.stop();
    }
  }

  /** Cancels the export. */
  stop(): void {
    this.#life?.abort();
    this.#life = null;
    this.busy.value = null;
  }

  async #whole({ data, buffers }: Answer<FileHeader>, signal: AbortSignal): Promise<Blob> {
    const { number, type, bytes } = data;
    const parts = buffers.map(copied);
    let start = parts.reduce((sum, part) => sum + part.byteLength, 0);
    while (start < bytes) {
      if (this.busy.peek() !== null) {
        this.busy.value = words.fetching(Math.floor((100 * start) / bytes));
      }
      const more = await this.host.requests.request("part", { number, start }, { signal });
      const got = more.buffers.map(copied);
      const size = got.reduce((sum, part) => sum + part.byteLength, 0);
      if (size === 0) throw new Error(words.cutShort);
      start += size;
      parts.push(...got);
    }
    return new Blob(parts, { type });
  }
}

/** Copied to a buffer of its own: a message's buffer may be a view of a larger one. */
function copied(view: DataView): ArrayBuffer {
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer;
}
