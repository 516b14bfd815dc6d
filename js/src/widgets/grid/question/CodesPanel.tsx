/** The waves or the locations that are counted, to be ticked; nothing changes before "Apply". */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { closeDone, Popover } from "../../../shared/Popover";
import { failureOf } from "../../../shared/requests";
import type { Coded, CodeKind } from "./protocol";
import type { PanelProps } from "./Sources";
import { words } from "./strings";
import { byYear, nameWithinYear, sameTicks, type Ticks, ticked, tickedAll } from "./ticks";

/** More locations than these are looked for by name. */
const FEW = 12;

interface Loaded {
  all: readonly Coded[];
  before: Ticks;
  byDefault: ReadonlySet<string>;
}

export function CodesPanel({ desk, kind, anchor, onClose }: PanelProps & { kind: CodeKind }) {
  const loaded = useSignal<Loaded | null>(null);
  const ticks = useSignal<Ticks>(null);
  useEffect(() => {
    desk.choices().then(
      ({ [kind]: { all, chosen, unasked } }) => {
        const before = chosen === null ? null : new Set(chosen);
        ticks.value = before;
        loaded.value = { all, before, byDefault: new Set(unasked) };
      },
      (error: unknown) => {
        desk.trouble.value = failureOf(error);
      },
    );
  }, [desk, kind]);
  const finish = () => closeDone({ anchor, onClose });
  const apply = async () => {
    const codes = ticks.peek();
    if (await desk.edit({ do: kind, codes: codes && [...codes] })) finish();
  };
  const now = loaded.value;
  const unchanged = !now || sameTicks(now.before, ticks.value) || ticks.value?.size === 0;
  return (
    <Popover anchor={anchor} onClose={onClose} label={words[kind]}>
      <div class="al-question-panel al-question-narrow">
        {now ? <Codes kind={kind} ticks={ticks} {...now} /> : <div class="al-skeleton" />}
        {desk.trouble.value && <div class="al-error">{desk.trouble.value}</div>}
        <div class="al-bar al-question-end">
          <span class="al-spacer" />
          <button type="button" class="al-button" onClick={finish}>
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

interface CodesProps extends Pick<Loaded, "all" | "byDefault"> {
  kind: CodeKind;
  ticks: Signal<Ticks>;
}

function Codes({ kind, all, byDefault, ticks }: CodesProps) {
  const sought = useSignal("");
  const letters = sought.value.toLocaleLowerCase();
  const shown = all.filter(({ name, code }) =>
    `${name}\n${code}`.toLocaleLowerCase().includes(letters),
  );
  const groups = kind === "waves" ? byYear(shown) : ([["", shown]] as const);
  const now = ticks.value ?? byDefault;
  return (
    <>
      <div class="al-bar al-question-head">
        <strong>{words[kind]}</strong>
        <span class="al-spacer" />
        <button
          type="button"
          class="al-button"
          aria-pressed={ticks.value === null}
          onClick={() => {
            ticks.value = null;
          }}
        >
          {kind === "waves" ? words.lastFourButton : words.everywhereButton}
        </button>
        {kind === "waves" && (
          <button
            type="button"
            class="al-button"
            aria-pressed={ticks.value?.size === all.length}
            onClick={() => {
              ticks.value = new Set(all.map(({ code }) => code));
            }}
          >
            {words.allButton}
          </button>
        )}
      </div>
      {all.length > FEW && kind === "locations" && (
        <input
          type="search"
          class="al-input"
          aria-label={words.find(words[kind])}
          placeholder={words.find(words[kind])}
          value={sought.value}
          onInput={(event) => {
            sought.value = event.currentTarget.value;
          }}
        />
      )}
      <div class="al-question-list">
        {groups.map(([year, group]) => (
          <fieldset class="al-question-year" key={year}>
            {kind === "waves" ? (
              <legend>
                <button
                  type="button"
                  class="al-link"
                  onClick={() => {
                    ticks.value = tickedAll(ticks.peek(), byDefault, group);
                  }}
                >
                  {year || words.otherWaves}
                </button>
              </legend>
            ) : (
              <legend class="al-sr-only">{words[kind]}</legend>
            )}
            {group.map(({ code, name }) => (
              <label class="al-question-check" key={code} title={`${name} (${code})`}>
                <input
                  type="checkbox"
                  aria-label={name}
                  checked={now.has(code)}
                  onChange={() => {
                    ticks.value = ticked(ticks.peek(), byDefault, code);
                  }}
                />
                <span class="al-clip">{nameWithinYear(name, year)}</span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </>
  );
}
