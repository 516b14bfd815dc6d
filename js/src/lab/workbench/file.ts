/**
 * The source of a tab that shows a data file or a survey folder. Nothing is written by looking:
 * saving writes a document beside it, which then goes on in the same kernel.
 */

import { fixesOf } from "./fixes";
import type { Message, Way } from "./messages";
import { besideSurvey, firstCode, openingCode } from "./opening";
import { exists, folderIn, openedBy, SUFFIX } from "./paths";
import type { Source, TabInputs } from "./plan";
import { CodeError } from "./running";
import { localSource, quoted } from "./source";
import { words } from "./strings";

export interface FileInputs extends TabInputs {
  /** Runs Python in the kernel of the tab. */
  runCode(code: string): Promise<void>;
  /** Has the document at a path go on with the kernel of the tab, instead of it. */
  continueAs(path: string): Promise<void>;
  /** Opens a document in place of the tab. */
  replaceBy(path: string): void;
}

export function fileSource(inputs: FileInputs, again: () => void): Source {
  const { context, contents } = inputs;
  const path = openedBy(context.path);
  const folder = folderIn(path);
  const name = path.slice(folder.length).replace(/^[^:]*:/, "");
  const stem = path === context.path ? name.replace(/\.[^.]+$/, "") : name;
  let code = `al.open(${quoted(name)})`;
  let document: Record<string, unknown> | null = null;
  /** Whether the kernel's workbench is shown, as after a reload. */
  let isNew = false;

  const openBy = (other: string) => {
    code = other;
    isNew = true;
    again();
  };

  async function saved(): Promise<Message[]> {
    const file = stem + SUFFIX;
    if (!(await exists(contents, folder + file))) return [];
    const ways: Way[] = [[words.continueWith(file), () => inputs.replaceBy(folder + file)]];
    return [{ sentence: words.hasDocument(name), ways }];
  }

  return {
    async plan() {
      const connect = String(document?.connect ?? "");
      const made = document
        ? openingCode(document, { code: localSource(connect)?.code ?? code })
        : firstCode(code, isNew);
      const tried = code;
      return {
        title: words.openingFile(name),
        shown: `client = ${code}`,
        code: path === context.path ? made : besideSurvey(made),
        notes: document ? [] : await saved(),
        failed(error) {
          const retry: Way = [words.tryAgain, () => openBy(tried)];
          if (error instanceof CodeError && error.isStopped) {
            return { sentence: words.stoppedFile(name), ways: [retry] };
          }
          const fixes = fixesOf(error.message, tried);
          const ways = fixes.map((fix): Way => [words.openWith(fix.label), () => openBy(fix.code)]);
          return { sentence: error.message, ways: [...ways, retry] };
        },
      };
    },
    changed(found) {
      document = found as Record<string, unknown>;
    },
    async save() {
      const file = await freeName(async (each) => exists(contents, folder + each), stem);
      await inputs.runCode(`workbench.save(${JSON.stringify(file)})`);
      await inputs.continueAs(folder + file);
    },
  };
}

/** A name for the document of a file; a saved one is never replaced. */
export async function freeName(
  isTaken: (name: string) => Promise<boolean>,
  stem: string,
): Promise<string> {
  for (let number = 1; ; number++) {
    const name = `${stem}${number > 1 ? `-${number}` : ""}${SUFFIX}`;
    if (!(await isTaken(name))) return name;
  }
}
