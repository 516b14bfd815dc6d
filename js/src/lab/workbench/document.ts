/** The source of a tab that shows a document: its survey is opened, and its changes are written. */
import type { ConnectionRecord } from "../../protocol";
import type { Server } from "../server";
import type { Message, Way } from "./messages";
import { besideAt, placesOf } from "./moved";
import { connectionFor, openingCode, parseDocument, writeDocument } from "./opening";
import { exists, folderIn } from "./paths";
import type { Plan, Source, TabInputs } from "./plan";
import { CodeError } from "./running";
import { type LocalSource, localSource } from "./source";
import { words } from "./strings";

export interface DocumentInputs extends TabInputs {
  server: Server;
  /** The survey of the sidebar, for a new workbench. */
  preferred(): Promise<ConnectionRecord | null>;
  /** Whether the kernel of the document holds its workbench; asked once. */
  isOpen(path: string): boolean;
}

export interface DocumentSource extends Source {
  /** Whether the document was changed by something else. */
  isStale(): boolean;
}

export function documentSource(inputs: DocumentInputs, again: () => void): DocumentSource {
  const { context, contents, server } = inputs;
  const { model } = context;
  /** The last text written by the workbench; any other was loaded from its file. */
  let written = "";
  let chosen: { code: string } | undefined;

  const openBy = (survey: { code: string }) => {
    chosen = survey;
    again();
  };

  async function waysOf(
    listed: readonly ConnectionRecord[],
    preferred: ConnectionRecord | null,
  ): Promise<Way[]> {
    return [...(preferred ? [preferred] : []), ...listed]
      .filter((each, at, all) => all.findIndex(({ name }) => name === each.name) === at)
      .map((each): Way => [each.title, () => openBy(each)]);
  }

  /** Asks for a file instead of one that is not there. */
  function choosing(source: LocalSource): Way[] {
    const { choose } = inputs;
    if (!choose) return [];
    const folder = folderIn(context.path);
    const ask = async () => {
      const path = await choose(folder);
      if (path !== null) openBy({ code: source.at(besideAt(folder, path)) });
    };
    return [[words.chooseFile, () => void ask()]];
  }

  /** The source where its file is now: with the document, if both were moved. */
  async function located(source: LocalSource): Promise<LocalSource | null> {
    const folder = folderIn(context.path);
    for (const path of placesOf(source)) {
      if (!(await exists(contents, folder + path))) continue;
      return path === source.path ? source : localSource(source.at(path));
    }
    return null;
  }

  function planOf(document: object | null, code: string, failed: Plan["failed"], note?: Message) {
    return {
      title: words.openingWorkbench,
      shown: localSource(code) ? code : "",
      code: openingCode(document as Record<string, unknown> | null, { code }),
      notes: note ? [note] : [],
      failed,
    };
  }

  const failedOf =
    (code: string, ways: Way[], isThere = true) =>
    (error: Error): Message => {
      const retry: Way = [words.tryAgain, again];
      if (error instanceof CodeError && error.isStopped) {
        return { sentence: words.stopped, ways: [retry] };
      }
      const source = localSource(code);
      if (!source) return { sentence: error.message, ways: [retry] };
      const sentence = words.notOpenedFrom(error.message, code);
      const first = isThere ? [retry, ...choosing(source)] : [...choosing(source), retry];
      return { sentence, ways: [...first, ...ways] };
    };

  return {
    async plan() {
      written = model.toString();
      const document = parseDocument(written);
      if (inputs.isOpen(context.path)) {
        const failed = failedOf("", []);
        return { title: words.openingWorkbench, shown: "", code: "", failed };
      }
      const listed = await server.connections();
      const preferred = await inputs.preferred();
      const ways = await waysOf(listed.connections, preferred);
      const connect = String(document?.connect);
      const found = chosen ?? connectionFor(document, listed, preferred);
      if (!found) return { sentence: words.unknownSurvey(connect), ways };
      const failed = failedOf(found.code, ways);
      const source = chosen || "name" in found ? null : (found as LocalSource);
      if (!source) return planOf(document, found.code, failed);
      const there = await located(source);
      if (there && there.path !== source.path) {
        const sentence = words.movedTo(source.path, there.path);
        const other: Way = [words.openIt, () => openBy(source)];
        const ways = source.isBeside ? [] : [other];
        return planOf(document, there.code, failed, { sentence, ways });
      }
      if (source.isBeside) {
        return planOf(document, source.code, failedOf(source.code, ways, there !== null));
      }
      const sentence = words.elsewhere(connect);
      const open: Way = [words.openIt, () => openBy(source)];
      return { sentence, ways: [open, ...choosing(source), ...ways] };
    },
    changed(document) {
      const text = writeDocument(document);
      if (text === written) return;
      written = text;
      model.fromString(text);
      // JupyterLab marks a document as changed on edits of its shared model only.
      model.dirty = true;
    },
    save: () => context.save(),
    isStale: () => model.toString() !== written,
  };
}
