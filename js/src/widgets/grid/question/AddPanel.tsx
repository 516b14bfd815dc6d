/** Adds rows or columns: answers and saved audiences, one line each, all of them, or any. */
import { useSignal } from "@preact/signals";
import { usePageId } from "../../../shared/ids";
import { closeDone } from "../../../shared/Popover";
import { type Axis, type Edit, HOWS, type How } from "./protocol";
import { answersIn, type PanelProps, SourcesPanel, useChosen } from "./Sources";
import { words } from "./strings";
import { linesOf } from "./telling";

interface AddPanelProps extends PanelProps {
  axis: Axis;
  /** Nests these lines alone, and nothing else is offered. */
  nest?: readonly number[];
}

export function AddPanel({ desk, axis, anchor, onClose, nest }: AddPanelProps) {
  const chosen = useChosen();
  const how = useSignal<How>(nest ? "nest" : "split");
  const count = linesOf(chosen.value, how.value, answersIn(desk));
  const submit = async () => {
    if (count === 0 || desk.busy.peek()) return;
    const edit: Edit =
      how.value === "nest"
        ? { do: "nest", axis, ...chosen.peek(), ...(nest && { places: nest }) }
        : { do: "add", axis, how: how.value, ...chosen.peek() };
    if (await desk.edit(edit)) finish();
  };
  const finish = () => closeDone({ anchor, onClose });
  return (
    <SourcesPanel
      desk={desk}
      anchor={anchor}
      onClose={onClose}
      label={nest ? words.line.nest : words.add[axis]}
      chosen={chosen}
      onSubmit={submit}
      below={nest ? undefined : <Hows how={how} />}
      buttons={
        <>
          <button type="button" class="al-button" onClick={finish}>
            {words.cancel}
          </button>
          <button
            type="button"
            class="al-button al-button-primary"
            disabled={count === 0}
            onClick={submit}
          >
            {how.value === "nest" ? words.nestLines(count) : words.addLines(axis, count)}
          </button>
        </>
      }
    />
  );
}

function Hows({ how }: { how: { value: How } }) {
  const name = usePageId("question-how");
  return (
    <fieldset class="al-question-hows">
      <legend class="al-sr-only">{words.how}</legend>
      {HOWS.map((each) => (
        <label class="al-question-check" key={each} title={words.howHints[each]}>
          <input
            type="radio"
            name={name}
            checked={how.value === each}
            onChange={() => {
              how.value = each;
            }}
          />
          {words.hows[each]}
        </label>
      ))}
    </fieldset>
  );
}
