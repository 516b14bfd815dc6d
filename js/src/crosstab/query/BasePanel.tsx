/** The base of the table: everyone, one audience, or several side by side; and who counts in it. */
import { IconButton } from "../../ui/icons";
import { closeDone } from "../../ui/Popover";
import type { QueryEditor } from "./queryEditor";
import { type PanelProps, SourcesPanel, useChosen } from "./Sources";
import { words } from "./strings";
import { WhoCounts } from "./WhoCounts";

export function BasePanel({ editor, anchor, onClose }: PanelProps) {
  const chosen = useChosen();
  const count = editor.summary.value?.base_count ?? 0;
  const none = chosen.value.picked.length + chosen.value.saved.length === 0;
  // Without a base, everyone is the first base beside a new one.
  const all = Array.from({ length: Math.max(1, count) }, (_, place) => place);
  const set = async (keep: readonly number[]) => {
    if (none || editor.busy.peek()) return;
    if (await editor.edit({ do: "bases", keep, ...chosen.peek() })) finish();
  };
  const finish = () => closeDone({ anchor, onClose });
  return (
    <SourcesPanel
      editor={editor}
      anchor={anchor}
      onClose={onClose}
      label={words.base}
      chosen={chosen}
      onSubmit={() => set([])}
      above={
        <>
          <WhoCounts editor={editor} />
          <Bases editor={editor} places={all} />
        </>
      }
      buttons={
        <>
          <button
            type="button"
            class="al-button"
            title={words.addBaseHint}
            disabled={none}
            onClick={() => set(all)}
          >
            {words.addBase}
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

/** The current bases, each with a button that removes it. */
function Bases({ editor, places }: { editor: QueryEditor; places: readonly number[] }) {
  const summary = editor.summary.value;
  const names = summary && summary.base_count > 0 ? summary.bases : [words.all];
  const remove = (place: number) =>
    editor.edit({
      do: "bases",
      keep: places.filter((each) => each !== place),
      picked: [],
      saved: [],
    });
  return (
    <div class="al-query-bases">
      {names.map((name, place) => (
        <span class="al-chip" key={name}>
          <span class="al-clip" title={name}>
            {name}
          </span>
          {summary && summary.base_count > 0 && (
            <IconButton icon="close" label={words.remove(name)} onClick={() => remove(place)} />
          )}
        </span>
      ))}
    </div>
  );
}
