/** The waves or locations of the query, as checkboxes; nothing changes before "Apply". */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { CodeName } from "../../protocol";
import { Choice } from "../../ui/Field";
import { FilterList } from "../../ui/FilterList";
import { closeDone, Popover } from "../../ui/Popover";
import {
  byYear,
  type CodeSelection,
  nameWithinYear,
  sameCodes,
  toggled,
  toggledAll,
} from "./codeSelection";
import type { CodeKind } from "./protocol";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

/** With more locations, there is a search field. */
const FEW = 12;
const LATEST = 4;

interface Loaded {
  all: readonly CodeName[];
  before: CodeSelection;
  byDefault: ReadonlySet<string>;
  /** The time window of the client as text; "" where it has none. */
  window: string;
}

export function CodesPanel({ editor, kind, anchor, onClose }: PanelProps & { kind: CodeKind }) {
  const loaded = useSignal<Loaded | null>(null);
  const codes = useSignal<CodeSelection>(null);
  useEffect(() => {
    editor.choices().then(({ [kind]: { all, chosen, ...rest } }) => {
      const before = chosen === null ? null : new Set(chosen);
      codes.value = before;
      loaded.value = { all, before, byDefault: new Set(rest.default), window: rest.window };
    }, editor.fail);
  }, [editor, kind]);
  const finish = () => closeDone({ anchor, onClose });
  const apply = async () => {
    const chosen = codes.peek();
    if (await editor.edit({ do: kind, codes: chosen && [...chosen] })) finish();
  };
  const now = loaded.value;
  const unchanged = !now || sameCodes(now.before, codes.value) || codes.value?.size === 0;
  return (
    <Popover anchor={anchor} onClose={onClose} label={words[kind]}>
      <div class="al-query-panel al-query-narrow">
        {now ? <Codes kind={kind} codes={codes} {...now} /> : <div class="al-skeleton" />}
        {editor.problem.value && <div class="al-error">{editor.problem.value}</div>}
        <div class="al-bar al-query-end">
          <span class="al-spacer" />
          <button type="button" class="al-button" data-local onClick={finish}>
            {words.cancel}
          </button>
          <button
            type="button"
            class="al-button al-button-primary"
            disabled={unchanged}
            onClick={apply}
          >
            {words.apply}
          </button>
        </div>
      </div>
    </Popover>
  );
}

interface CodesProps extends Pick<Loaded, "all" | "byDefault" | "window"> {
  kind: CodeKind;
  codes: Signal<CodeSelection>;
}

function Codes({ kind, all, byDefault, window, codes }: CodesProps) {
  const now = codes.value ?? byDefault;
  return (
    <>
      <div class="al-bar al-query-head">
        <strong>{words[kind]}</strong>
        <span class="al-spacer" />
        <button
          type="button"
          class="al-button"
          aria-pressed={codes.value === null}
          onClick={() => {
            codes.value = null;
          }}
        >
          {kind === "waves" ? words.windowButton(window) : words.everywhereButton}
        </button>
        {kind === "waves" && byDefault.size < all.length && (
          <button
            type="button"
            class="al-button"
            aria-pressed={codes.value?.size === all.length}
            onClick={() => {
              codes.value = new Set(all.map(({ code }) => code));
            }}
          >
            {words.allButton}
          </button>
        )}
      </div>
      {kind === "waves" && all.length > LATEST && (
        <button
          type="button"
          class="al-link"
          onClick={() => {
            codes.value = new Set(all.slice(-LATEST).map(({ code }) => code));
          }}
        >
          {words.lastFour}
        </button>
      )}
      <FilterList
        items={all}
        textOf={({ name, code }) => `${name}\n${code}`}
        label={words.find(words[kind])}
        few={kind === "waves" ? Number.POSITIVE_INFINITY : FEW}
      >
        {(shown) => (
          <div class="al-query-list">
            {(kind === "waves" ? byYear(shown) : ([["", shown]] as const)).map(([year, group]) => (
              <fieldset class="al-query-year" key={year}>
                {kind === "waves" ? (
                  <legend>
                    <button
                      type="button"
                      class="al-link"
                      onClick={() => {
                        codes.value = toggledAll(codes.peek(), byDefault, group);
                      }}
                    >
                      {year || words.otherWaves}
                    </button>
                  </legend>
                ) : (
                  <legend class="al-sr-only">{words[kind]}</legend>
                )}
                {group.map(({ code, name }) => (
                  <Choice
                    key={code}
                    title={`${name} (${code})`}
                    label={name}
                    checked={now.has(code)}
                    onChange={() => {
                      codes.value = toggled(codes.peek(), byDefault, code);
                    }}
                  >
                    <span class="al-clip">{nameWithinYear(name, year)}</span>
                  </Choice>
                ))}
              </fieldset>
            ))}
          </div>
        )}
      </FilterList>
    </>
  );
}
