/** Adds rows or columns: one for each answer and audience, or one of all or any of them. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { usePageId } from "../../core/ids";
import type { Edit } from "../../protocol";
import { Choice } from "../../ui/Field";
import { grids as gridForms, gridHints } from "../../ui/grids";
import { closeDone } from "../../ui/Popover";
import { areWithin, itemsOf } from "./messages";
import { type Axis, GRIDS, type GridRows, HOWS, type How } from "./protocol";
import { answersIn, type PanelProps, SourcesPanel, useChosen } from "./Sources";
import { words } from "./strings";

interface AddPanelProps extends PanelProps {
  axis: Axis;
  /** Positions of the items to nest under; then nesting is the only option. */
  nest?: readonly number[];
}

export function AddPanel({ editor, axis, anchor, onClose, nest }: AddPanelProps) {
  const chosen = useChosen();
  const table = useMemo(() => editor.table(), [editor]);
  const how = useSignal<How>(nest ? "nest" : "split");
  const grids = useSignal<GridRows>("distribution");
  // What is nested under given items is one audience for each answer.
  const counted = nest ? "split" : how.value;
  const count = itemsOf(chosen.value, counted, answersIn(editor), grids.value);
  const isUnder = how.value === "nest" && (nest !== undefined || !areWithin(chosen.value));
  const hasGrid = chosen.value.picked.some(
    ({ question, suffixes }) =>
      suffixes.length === 0 &&
      (editor.catalogue.value?.question(question)?.suffixes.codes.length ?? 0) > 0,
  );
  const submit = async () => {
    if (count === 0 || editor.busy.peek()) return;
    const edit: Edit =
      how.value === "nest"
        ? { do: "nest", axis, ...chosen.peek(), ...(nest && { places: nest, table }) }
        : {
            do: "add",
            axis,
            how: how.value,
            ...(hasGrid && how.value === "split" && { grids: grids.value }),
            ...chosen.peek(),
          };
    if (await editor.edit(edit)) finish();
  };
  const finish = () => closeDone({ anchor, onClose });
  return (
    <SourcesPanel
      editor={editor}
      anchor={anchor}
      onClose={onClose}
      label={nest ? words.verbs.nest : words.add[axis]}
      chosen={chosen}
      onSubmit={submit}
      below={
        nest ? undefined : (
          <>
            <Hows how={how} />
            {hasGrid && how.value === "split" && <Grids grids={grids} axis={axis} />}
          </>
        )
      }
      buttons={
        <>
          <button type="button" class="al-button" data-local onClick={finish}>
            {words.cancel}
          </button>
          <button
            type="button"
            class="al-button al-button-primary"
            disabled={count === 0}
            onClick={submit}
          >
            {isUnder ? words.nestItems(count) : words.addItems(axis, count)}
          </button>
        </>
      }
    />
  );
}

/** What a picked grid becomes; means can only be rows. */
function Grids({ grids, axis }: { grids: { value: GridRows }; axis: Axis }) {
  const name = usePageId("query-grids");
  return (
    <fieldset class="al-query-hows">
      <legend class="al-sr-only">{words.grids}</legend>
      {GRIDS.filter((each) => axis === "rows" || each !== "mean").map((each) => (
        <Choice
          key={each}
          title={gridHints[each]}
          group={name}
          checked={grids.value === each}
          onChange={() => {
            grids.value = each;
          }}
        >
          {gridForms[each]}
        </Choice>
      ))}
    </fieldset>
  );
}

function Hows({ how }: { how: { value: How } }) {
  const name = usePageId("query-how");
  return (
    <fieldset class="al-query-hows">
      <legend class="al-sr-only">{words.how}</legend>
      {HOWS.map((each) => (
        <Choice
          key={each}
          title={words.howHints[each]}
          group={name}
          checked={how.value === each}
          onChange={() => {
            how.value = each;
          }}
        >
          {words.hows[each]}
        </Choice>
      ))}
    </fieldset>
  );
}
