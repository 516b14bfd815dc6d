/** The saved audiences of the survey: to read, to insert, to drag into a notebook. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { RequestError } from "../../core/answers";
import { isAbort } from "../../core/lifetime";
import type { ConnectionRecord, SavedAudienceRecord } from "../../protocol";
import { FilterList } from "../../ui/FilterList";
import { IconButton } from "../../ui/icons";
import { strings as shared } from "../../ui/strings";
import type { Snippet } from "../snippets";
import { useSidebar } from "./context";
import { Rows } from "./Rows";
import { words } from "./strings";

interface Listed {
  audiences?: readonly SavedAudienceRecord[];
  failure?: string;
  /** The service does not support saved audiences, so there is no retry. */
  never?: boolean;
}

export function SavedSection({ shown }: { shown: boolean }) {
  const { state } = useSidebar();
  const connection = state.connection.value;
  if (!connection) return null;
  const revived = state.revived.value[connection.name] ?? 0;
  return <SavedOf key={`${connection.name} ${revived}`} connection={connection} shown={shown} />;
}

function SavedOf({ connection, shown }: { connection: ConnectionRecord; shown: boolean }) {
  const { state, insert, copy, draggable } = useSidebar();
  const listed = useSignal<Listed>({});
  const place = useRef<HTMLDivElement>(null);
  const load = (lifetime: AbortSignal) => {
    state
      .ask("saved_audiences", {}, lifetime)
      .then(({ data }) => {
        listed.value = data;
      })
      .catch((error: Error) => {
        if (isAbort(error)) return;
        const never = error instanceof RequestError && error.type === "NotListed";
        listed.value = { failure: error.message, never };
      });
  };
  // An audience may have been saved since the page was left.
  useEffect(() => {
    if (!shown) return;
    const ended = new AbortController();
    load(ended.signal);
    return () => ended.abort();
  }, [shown]);
  const pieceOf = ({ id, name }: SavedAudienceRecord): Snippet => ({
    kind: "audience",
    label: name,
    connection,
    id,
  });
  useLayoutEffect(() => {
    if (!place.current) return;
    const ended = new AbortController();
    const at = (target: Element) => {
      const id = target.closest<HTMLElement>("[data-key]")?.dataset.key;
      const found = listed.peek().audiences?.find((each) => each.id === id);
      return found ? pieceOf(found) : null;
    };
    draggable(place.current, at, ended.signal);
    return () => ended.abort();
  }, [draggable]);

  const { audiences, failure, never } = listed.value;
  return (
    <div ref={place} class="al-sidebar-list">
      {failure !== undefined && (
        <div class="al-empty" role="alert">
          <span class={never ? "" : "al-error"}>{failure}</span>{" "}
          {!never && (
            <button
              type="button"
              class="al-link"
              onClick={() => {
                listed.value = {};
                load(new AbortController().signal);
              }}
            >
              {shared.retry}
            </button>
          )}
        </div>
      )}
      {!audiences && failure === undefined && <Waiting label={words.savedLoading} />}
      {audiences?.length === 0 && <div class="al-empty">{words.noneSaved}</div>}
      {audiences && audiences.length > 0 && (
        <FilterList
          items={audiences}
          textOf={({ name, sentence }) => `${name} ${sentence}`}
          label={words.find.saved}
          few={0}
        >
          {(found) => (
            <Rows
              label={words.savedList}
              all={found}
              keyOf={({ id }) => id}
              pressLabel={({ name }) => words.insert(name)}
              onPress={(each, { shiftKey: run }) => void insert(pieceOf(each), { run })}
              row={({ id, name, sentence }, current) => (
                <span class="al-sidebar-lines">
                  <span class="al-sidebar-name" dir="auto">
                    {name}
                  </span>
                  <span class="al-quiet al-sidebar-sentence" dir="auto">
                    {sentence}
                  </span>
                  {current && <Size id={id} />}
                </span>
              )}
              buttons={(each, tabIndex) => (
                <IconButton
                  icon="copy"
                  label={words.copy(each.name)}
                  tabIndex={tabIndex}
                  onClick={() => void copy(pieceOf(each))}
                />
              )}
            />
          )}
        </FilterList>
      )}
    </div>
  );
}

/** Milliseconds on one audience before it is counted, so that moving past it sends no request. */
const PAUSE = 250;

/** The number of people; empty where the survey does not provide it. */
function Size({ id }: { id: string }) {
  const { state } = useSidebar();
  const counted = useSignal<{ size: number; sample: number } | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(() => {
      state.ask("saved_size", { id }, ended.signal).then(
        ({ data }) => {
          counted.value = data;
        },
        () => {},
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [id]);
  const size = counted.value;
  return size && <span class="al-sidebar-size">{words.size(size.size, size.sample)}</span>;
}

/** Placeholder rows while a list is loading. */
export function Waiting({ label }: { label: string }) {
  return (
    <div class="al-sidebar-waiting" role="status" aria-label={label}>
      {[62, 44, 55].map((width) => (
        <div key={width} class="al-skeleton" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
