/** Whom everything is counted within: everyone, one audience, or several side by side. */
import { useRef } from "preact/hooks";
import { IconButton } from "../../../shared/icons";
import { closeDone } from "../../../shared/Popover";
import type { QuestionDesk } from "./desk";
import { useKeptFocus } from "./keptFocus";
import { type PanelProps, SourcesPanel, useChosen } from "./Sources";
import { words } from "./strings";

export function BasePanel({ desk, anchor, onClose }: PanelProps) {
  const chosen = useChosen();
  const count = desk.told.value?.baseCount ?? 0;
  const none = chosen.value.picked.length + chosen.value.saved.length === 0;
  // Everyone is a base as well, once another one stands beside.
  const all = Array.from({ length: Math.max(1, count) }, (_, place) => place);
  const set = async (keep: readonly number[]) => {
    if (none || desk.busy.peek()) return;
    if (await desk.edit({ do: "bases", keep, ...chosen.peek() })) finish();
  };
  const finish = () => closeDone({ anchor, onClose });
  return (
    <SourcesPanel
      desk={desk}
      anchor={anchor}
      onClose={onClose}
      label={words.base}
      chosen={chosen}
      onSubmit={() => set([])}
      above={<Bases desk={desk} places={all} />}
      buttons={
        <>
          <button
            type="button"
            class="al-button"
            title={words.besideHint}
            disabled={none}
            onClick={() => set(all)}
          >
            {words.besideOthers}
          </button>
          <button
            type="button"
            class="al-button al-button-primary"
            disabled={none}
            onClick={() => set([])}
          >
            {words.useAsBase}
          </button>
        </>
      }
    />
  );
}

/** The bases that there are, each with what takes it away. */
function Bases({ desk, places }: { desk: QuestionDesk; places: readonly number[] }) {
  const told = desk.told.value;
  const names = told && told.baseCount > 0 ? told.bases : [words.everyone];
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box);
  const remove = (place: number) =>
    desk.edit({
      do: "bases",
      keep: places.filter((each) => each !== place),
      picked: [],
      saved: [],
    });
  return (
    <div ref={box} class="al-question-bases" tabIndex={-1}>
      {names.map((name, place) => (
        <span class="al-chip" key={name}>
          <span class="al-clip" title={name}>
            {name}
          </span>
          {told && told.baseCount > 0 && (
            <IconButton icon="close" label={words.remove(name)} onClick={() => remove(place)} />
          )}
        </span>
      ))}
    </div>
  );
}
