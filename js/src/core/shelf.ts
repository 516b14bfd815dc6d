/**
 * The shelf of a page: the modules of the front end, which all its widgets share, whatever their
 * kernel. A module is named by its content, so a kernel with another version of the package uses
 * what is the same and brings the rest; each is evaluated once a page.
 */
import type { AnyModel } from "@anywidget/types";
import { onAbort } from "./lifetime";

/** One view of a widget: where it is drawn, and until when. */
export interface View {
  model: AnyModel;
  el: HTMLElement;
  signal: AbortSignal;
}

/** A kind of widget. */
export interface Kind {
  /** Draws a view; settles when what the kernel had to answer first is on screen. */
  render(view: View): Promise<void>;
}

export interface Module {
  readonly default: Kind;
}

/** A module's name and its code. */
export type Text = readonly [name: string, code: string];

export interface Shelf {
  /** What widgets are drawn by, loaded or loading. */
  readonly modules: Map<string, Promise<Module>>;
  /** Modules of the page itself, which no kernel has to send: JupyterLab's extension has them. */
  offer?: (name: string) => Promise<Module> | undefined;
  /** Where the code of each module that was shelved is imported from. */
  readonly urls: Map<string, string>;
  /** Ways to bring a module that the code of another asks for later, the last one first. */
  readonly bringers?: Set<Bring>;
  /** What `import()` is in the code of a module that was shelved. */
  later?: (name: string) => Promise<Module>;
  /** Settles when the pull that started last has ended. */
  pulling: Promise<unknown>;
}

export type Bring = (name: string) => Promise<Module>;

/** The name that versions of this package agree on, as long as the shape of a shelf is the same. */
const SHELF = Symbol.for("audiencelab");

/** Imports as esbuild writes them: of names by content only, so no other text looks like one. */
const IMPORTS = /\b(from|import)\s*"\.\/([0-9a-f]{16}\.js)"/g;
const LATER = /\bimport\(\s*"\.\/([0-9a-f]{16}\.js)"\s*\)/g;

export function pageShelf(): Shelf {
  const page = globalThis as { [SHELF]?: Shelf };
  page[SHELF] ??= { modules: new Map(), urls: new Map(), pulling: Promise.resolve() };
  return page[SHELF];
}

/** Lets modules that were shelved load others as long as the view lives. */
export function bringLater(shelf: Shelf, bring: Bring, lifetime: AbortSignal): void {
  const bringers = shelf.bringers ?? new Set<Bring>();
  Object.assign(shelf, { bringers });
  bringers.add(bring);
  onAbort(lifetime, () => bringers.delete(bring));
  shelf.later ??= async (name) => {
    const here = onShelf(shelf, name);
    if (here) return here;
    let failed: unknown = new Error(`audiencelab: the module ${name} is missing`);
    for (const each of [...bringers].reverse()) {
      try {
        return await each(name);
      } catch (error) {
        failed = error;
      }
    }
    throw failed;
  };
}

/** A module that the page has or can have by itself; undefined for one to be pulled. */
export function onShelf(shelf: Shelf, name: string): Promise<Module> | undefined {
  return shelf.modules.get(name) ?? keep(shelf, name, shelf.offer?.(name));
}

/**
 * Loads a module from code, each text after those that it imports. Rejects where a name is not that
 * of its code, as far as the page can tell: browsers have digests only in secure pages.
 */
export async function loadFrom(
  shelf: Shelf,
  texts: readonly Text[],
  name: string,
): Promise<Module> {
  await Promise.all(texts.map(check));
  for (const [each, code] of texts) {
    if (shelf.urls.has(each)) continue;
    const later = `globalThis[Symbol.for("audiencelab")].later`;
    const linked = code
      .replace(LATER, `${later}("$1")`)
      .replace(IMPORTS, (_, word: string, of: string) => {
        return `${word}${JSON.stringify(urlOf(shelf, of))}`;
      });
    // Kept for as long as the page: modules that are pulled later may import it.
    const url = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
    shelf.urls.set(each, url);
  }
  const loaded = shelf.modules.get(name) ?? import(/* @vite-ignore */ urlOf(shelf, name));
  return keep(shelf, name, loaded) as Promise<Module>;
}

function urlOf(shelf: Shelf, name: string): string {
  const url = shelf.urls.get(name);
  if (!url) throw new Error(`audiencelab: the module ${name} is missing`);
  return url;
}

async function check([name, code]: Text): Promise<void> {
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", new TextEncoder().encode(code));
  if (!digest) return;
  const start = Array.from(new Uint8Array(digest, 0, 8), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  if (name !== `${start.join("")}.js`) throw new Error(`audiencelab: ${name} has other content`);
}

/** Puts a module that is loading on the shelf, as long as it does not fail. */
function keep(
  shelf: Shelf,
  name: string,
  loading: Promise<Module> | undefined,
): Promise<Module> | undefined {
  if (!loading) return undefined;
  shelf.modules.set(name, loading);
  loading.catch(() => shelf.modules.get(name) === loading && shelf.modules.delete(name));
  return loading;
}
