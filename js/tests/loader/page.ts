/** A page of widgets as the loader sees it: models, a kernel that the test plays, modules to load. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { AnyModel } from "@anywidget/types";
import { vi } from "vitest";
import { pageShelf, type Shelf, type Text } from "../../src/core/shelf";
import loader from "../../src/loader";
import { FakeModel, type Message } from "../core/fakes";

export const FORM = "<div style='color:red'>Base <b>1,000</b></div>";

/** What the modules of a test have done, in order; `drawn()` ends the drawing of a kind. */
export const told: string[] = [];
Object.assign(globalThis, { told });

function named(code: string): Text {
  return [`${createHash("sha256").update(code).digest("hex").slice(0, 16)}.js`, code];
}

/** A module that two kinds share, and the two. */
export const SHARED = named(`globalThis.told.push("shared"); export const word = "live";`);
export const [GRID, PICKER] = ["grid", "picker"].map((kind) =>
  named(
    `import{word}from"./${SHARED[0]}";globalThis.told.push("${kind}");` +
      `export default { render({ el, signal }) { el.textContent = word + " ${kind}";` +
      `signal.addEventListener("abort", () => globalThis.told.push("end ${kind}"));` +
      `return globalThis.drawing; } };`,
  ),
) as [Text, Text];

/** A module that is loaded later, and a kind that loads it by a click. */
export const LATER = named(`export const more = "and more";`);
export const LOADING = named(
  `export default { async render({ el }) { el.textContent = "live"; ` +
    `el.onclick = async () => { el.textContent = (await import("./${LATER[0]}")).more; }; } };`,
);

/** The page starts anew: nothing shelved, nothing told, kinds are drawn at once. */
export function freshPage(): Shelf {
  told.length = 0;
  Object.assign(globalThis, { drawing: Promise.resolve() });
  // Node imports no URLs of blobs; the text is the same.
  vi.stubGlobal("Blob", TextBlob);
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => (blob as TextBlob).url);
  const shelf = pageShelf();
  delete shelf.offer;
  shelf.bringers?.clear();
  shelf.modules.clear();
  shelf.urls.clear();
  shelf.pulling = Promise.resolve();
  return shelf;
}

let made = 0;

class TextBlob extends Blob {
  readonly url: string;

  constructor(parts: BlobPart[], options?: BlobPropertyBag) {
    super(parts, options);
    // One of its own for each, as those of blobs are.
    const code = `${parts[0]}\n//${++made}`;
    this.url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
  }
}

export class Widget {
  readonly channel = new FakeModel({});
  readonly el = document.body.appendChild(document.createElement("div"));
  readonly end: () => void;

  constructor(
    module: Text,
    {
      /** null in front ends that do not say. */
      live = true as boolean | null,
      saved = gzipSync(FORM).toString("base64"),
      find = async (_: string): Promise<AnyModel> => this.channel.asModel,
      signal = undefined as AbortSignal | undefined,
    } = {},
  ) {
    (this.channel as { comm_live: boolean | undefined }).comm_live = live ?? undefined;
    const traits = { _front_end: module[0], _channel: "IPY_MODEL_c", _saved: saved };
    const model = new FakeModel(traits);
    model.widget_manager.get_model = find;
    this.end = loader.render({ model: model.asModel, el: this.el, signal });
  }

  get messages(): Message[] {
    return this.channel.sent.map(({ content }) => content as Message);
  }

  get asked(): (string | undefined)[] {
    return this.messages.map(({ op }) => op);
  }

  get text(): string {
    return this.el.textContent?.replace(/@media[\s\S]*\}\n\}/, "") ?? "";
  }

  /** Answers the last request of an operation. */
  answer(op: string, data: unknown = null, buffers: DataView[] = []): void {
    const id = this.messages.findLast((message) => message.op === op)?.id;
    this.channel.trigger("msg:custom", { id, ok: true, data }, buffers);
  }

  refuse(op: string, message: string): void {
    const id = this.messages.findLast((each) => each.op === op)?.id;
    const error = { type: "AudienceError", message, faults: [] };
    this.channel.trigger("msg:custom", { id, ok: false, error }, []);
  }

  send(...texts: Text[]): void {
    const modules = texts.map(([name, code]) => [name, new TextEncoder().encode(code).length]);
    const packed = gzipSync(texts.map(([, code]) => code).join(""));
    const buffer = new DataView(packed.buffer as ArrayBuffer, packed.byteOffset, packed.length);
    this.answer("front_end", { modules }, [buffer]);
  }
}
