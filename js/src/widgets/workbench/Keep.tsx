/** Questions shown before, and ways to keep the workbench: as a document, a notebook, code. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { copyText } from "../../shared/clipboard";
import { useHost } from "../../shared/host";
import { InsertButton } from "../../shared/InsertButton";
import { IconButton } from "../../shared/icons";
import { Popover } from "../../shared/Popover";
import { failureOf } from "../../shared/requests";
import { strings as shared } from "../../shared/strings";
import { words } from "./strings";

export function Shown() {
  const host = useHost();
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const shown = host.trait<string[]>("_shown").value;
  const close = () => {
    open.value = false;
  };
  const show = (place: number) => {
    close();
    button.current?.focus();
    host.requests
      .request("show", { place }, { signal: host.lifetime })
      .catch((error) => host.announce(failureOf(error) ?? ""));
  };
  return (
    <>
      <IconButton
        ref={button}
        icon="clock"
        label={words.shown}
        aria-haspopup="dialog"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.peek();
        }}
      />
      {open.value && (
        <Popover anchor={button} label={words.shown} onClose={close}>
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
        </Popover>
      )}
    </>
  );
}

export function Keep() {
  const host = useHost();
  const { requests, announce, lifetime, root } = host;
  const open = useSignal(false);
  const name = useSignal("");
  const said = useSignal("");
  const button = useRef<HTMLButtonElement>(null);
  const tell = (sentence: string) => {
    said.value = sentence;
    announce(sentence);
  };
  const ask = async <T,>(op: string, args: object = {}): Promise<T | null> => {
    try {
      return (await requests.request<T>(op, args, { signal: lifetime })).data;
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== null) tell(shared.failed(failure));
      return null;
    }
  };
  const write = async (op: string, args: object = {}) => {
    const done = await ask<{ path: string }>(op, args);
    if (done) tell(words.saved(done.path));
  };
  const code = async () => (await requests.request<{ code: string }>("code")).data.code;
  const copy = async () => {
    const answer = await ask<{ code: string }>("code");
    if (!answer) return;
    tell((await copyText(answer.code, root)) ? shared.copied : words.copyFailed);
  };
  return (
    <>
      <IconButton
        ref={button}
        icon="save"
        label={words.keep}
        aria-haspopup="dialog"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.peek();
          said.value = "";
        }}
      />
      {open.value && (
        <Popover
          anchor={button}
          label={words.keep}
          onClose={() => {
            open.value = false;
          }}
        >
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
              maxLength={80}
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
            <button type="submit" class="al-button al-button-primary">
              {words.save}
            </button>
          </form>
          <button type="button" class="al-menu-item" onClick={() => write("notebook")}>
            {words.notebook}
          </button>
          <span class="al-workbench-code">
            <button type="button" class="al-menu-item" onClick={copy}>
              {words.copyCode}
            </button>
            <InsertButton code={code} label={words.insertCode} />
          </span>
          {said.value && <div class="al-quiet al-workbench-said">{said.value}</div>}
        </Popover>
      )}
    </>
  );
}
