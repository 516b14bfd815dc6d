/** The audience as text and as Python, each with a copy button; updated with every edit. */
import { useSignal } from "@preact/signals";
import { CopyButton } from "../ui/CopyButton";
import { InsertButton } from "../ui/InsertButton";
import { strings as shared } from "../ui/strings";
import { useEditor } from "./context";
import { words } from "./strings";

export function Output() {
  const { state, measuring } = useEditor();
  const wording = measuring.wording.value;
  const unfinished = state.faults.value.size > 0;
  const failure = measuring.failure.value;
  return (
    <div class="al-editor-output">
      {failure !== null && (
        <div class="al-editor-problem al-error">
          {words.measureFailed(failure)}{" "}
          <button type="button" class="al-link" onClick={() => measuring.retry()}>
            {shared.retry}
          </button>
        </div>
      )}
      {unfinished && <div class="al-editor-problem al-quiet">{words.unfinished}</div>}
      {wording && (
        <div class={measuring.outdated.value ? "al-stale" : ""}>
          <Block title={words.sentence} copy={words.copySentence} text={wording.sentence} />
          <Block title={words.code} copy={words.copyCode} text={wording.code} code />
        </div>
      )}
    </div>
  );
}

/** Letters that fit without scrolling. */
const LONG = 1_000;

interface BlockProps {
  title: string;
  copy: string;
  text: string;
  code?: boolean;
}

function Block({ title, copy, text, code = false }: BlockProps) {
  /** Why copying failed, until the next attempt. */
  const failed = useSignal("");
  const onFailed = (why: string) => {
    failed.value = why;
  };
  // Focusable where text may overflow, so that it can be scrolled by keyboard.
  const scroll =
    text.length > LONG ? ({ tabIndex: 0, role: "group", "aria-label": title } as const) : {};
  return (
    <div class="al-editor-block">
      <span class="al-editor-caption al-quiet">{title}</span>
      {code ? (
        <pre class="al-code" {...scroll}>
          {text}
        </pre>
      ) : (
        <p {...scroll}>{text}</p>
      )}
      <span class="al-editor-take">
        {code && <InsertButton code={() => text} onFailed={onFailed} />}
        <CopyButton of={text} text={() => text} label={copy} onFailed={onFailed} />
      </span>
      {failed.value && <div class="al-editor-untaken al-error">{failed.value}</div>}
    </div>
  );
}
