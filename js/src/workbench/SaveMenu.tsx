/** The query history, and the export of the workbench: as a document, a notebook, code. */

import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { failureOf } from "../core/answers";
import { copyText } from "../core/clipboard";
import { canInsert, fillsTab, openFile, saveDocument } from "../core/notebook";
import type { AnswerOf, ArgsOf } from "../core/requests";
import type { WorkbenchWidget } from "../protocol";
import { FILE_NAME_LENGTH } from "../protocol/constants";
import { useAttempt } from "../ui/attempt";
import { useHost } from "../ui/host";
import { InsertButton, useNotebook } from "../ui/InsertButton";
import { IconButton } from "../ui/icons";
import { closeDone, Popover, usePopover } from "../ui/Popover";
import { strings as shared } from "../ui/strings";
import { words } from "./strings";

export function HistoryMenu() {
  const host = useHost<WorkbenchWidget>();
  const { isOpen, opener, panel } = usePopover();
  const shown = host.trait("_shown").value;
  const list = useRef<HTMLDivElement>(null);
  /** Why a query could not be restored, until another is selected. */
  const failed = useSignal("");
  const attempt = useAttempt((why) => {
    failed.value = why;
  });
  const show = (place: number) =>
    attempt(async () => {
      await host.requests.request("show", { place }, { signal: host.lifetime });
      // If the panel was closed meanwhile, the focus is elsewhere.
      if (list.current) closeDone(panel);
      return "";
    });
  return (
    <>
      <IconButton icon="clock" label={words.shown} {...opener} />
      {isOpen && (
        <Popover label={words.shown} {...panel}>
          <div ref={list}>
            {shown.length === 0 && <div class="al-empty">{words.nothingShown}</div>}
            {shown.map((sentence, place) => (
              <button
                key={place}
                type="button"
                class="al-menu-item al-workbench-shown"
                onClick={() => show(place)}
              >
                <bdi>{sentence}</bdi>
              </button>
            ))}
            {failed.value && <div class="al-error al-workbench-said">{failed.value}</div>}
          </div>
        </Popover>
      )}
    </>
  );
}

/** Saves the workbench and opens the file, which has a tab of its own. */
export function OpenTab() {
  const { root, requests, lifetime } = useHost<WorkbenchWidget>();
  const notebook = useNotebook();
  const attempt = useAttempt();
  if (!notebook.value) return null;
  const open = () =>
    attempt(async () => {
      const { data } = await requests.request("save", {}, { signal: lifetime });
      openFile(root, data.path);
      return "";
    });
  return <IconButton icon="expand" label={words.openTab} onClick={open} />;
}

export function SaveMenu() {
  const { isOpen, opener, panel } = usePopover();
  const name = useSignal("");
  return (
    <>
      <IconButton icon="save" label={words.keep} {...opener} />
      {isOpen && (
        <Popover label={words.keep} {...panel}>
          <Ways name={name} />
        </Popover>
      )}
    </>
  );
}

/** The result of an export is shown until the panel is closed. */
function Ways({ name }: { name: Signal<string> }) {
  const { requests, announce, lifetime, root } = useHost<WorkbenchWidget>();
  const said = useSignal("");
  /** The last written file, with a link if the notebook's host can open it. */
  const written = useSignal<string | null>(null);
  const tell = (sentence: string) => {
    said.value = sentence;
    written.value = null;
    announce(sentence);
  };
  const ask = async <O extends "save" | "notebook" | "code">(
    op: O,
    args: ArgsOf<WorkbenchWidget, O>,
  ): Promise<AnswerOf<WorkbenchWidget, O> | null> => {
    try {
      return (await requests.request(op, args, { signal: lifetime })).data;
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== null) tell(shared.failed(failure));
      return null;
    }
  };
  const write = async (op: "save" | "notebook", args: { name: string }) => {
    const done = await ask(op, args);
    if (!done) return;
    tell(words.saved(done.path));
    if (canInsert(root) || fillsTab(root)) written.value = done.path;
  };
  const code = async () => (await requests.request("code", {})).data.code;
  const copy = async () => {
    const answer = await ask("code", {});
    if (!answer) return;
    tell((await copyText(answer.code, root)) ? shared.copied : shared.copyFailed);
  };
  return (
    <>
      {fillsTab(root) ? (
        <button type="button" class="al-menu-item" onClick={() => saveDocument(root)}>
          {words.save}
        </button>
      ) : (
        <form
          class="al-bar al-workbench-keep"
          onSubmit={(event) => {
            event.preventDefault();
            void write("save", { name: name.peek() });
          }}
        >
          <input
            class="al-input"
            type="text"
            aria-label={words.name}
            placeholder={words.namePlaceholder}
            autocomplete="off"
            maxLength={FILE_NAME_LENGTH}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <button type="submit" class="al-button al-button-primary">
            {words.save}
          </button>
        </form>
      )}
      <button
        type="button"
        class="al-menu-item"
        onClick={() => write("notebook", { name: name.peek() })}
      >
        {words.notebook}
      </button>
      <span class="al-workbench-code">
        <button type="button" class="al-menu-item" onClick={copy}>
          {words.copyCode}
        </button>
        <InsertButton
          code={code}
          label={words.insertCode}
          onFailed={(why) => {
            said.value = why;
          }}
        />
      </span>
      {said.value && (
        <div class="al-quiet al-workbench-said">
          {said.value}{" "}
          {written.value && (
            <button
              type="button"
              class="al-link"
              onClick={() => openFile(root, written.peek() ?? "")}
            >
              {words.open}
            </button>
          )}
        </div>
      )}
    </>
  );
}
