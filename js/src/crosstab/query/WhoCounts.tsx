/** Who of the base counts in a cell: those who answered, or everyone. */
import { usePageId } from "../../core/ids";
import type { QueryEditor } from "./queryEditor";
import { words } from "./strings";

const CHOICES = ["valid", "everyone"] as const;

export function WhoCounts({ editor }: { editor: QueryEditor }) {
  const id = usePageId("who-counts");
  const now = editor.summary.value?.who_counts;
  if (!now) return null;
  const choose = (who: (typeof CHOICES)[number]) => {
    if (now.fixed || who === now.chosen || editor.busy.peek()) return;
    void editor.edit({ do: "who_counts", who });
  };
  return (
    <div class="al-query-who">
      <div class="al-bar">
        <span id={`${id}-label`}>{words.whoCounts}</span>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame of its own */}
        <span
          class="al-segmented"
          role="group"
          aria-labelledby={`${id}-label`}
          aria-describedby={`${id}-meaning`}
        >
          {CHOICES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={now.chosen === each}
              aria-disabled={now.fixed || undefined}
              onClick={() => choose(each)}
            >
              {words.who[each]}
            </button>
          ))}
        </span>
      </div>
      <div class="al-quiet" id={`${id}-meaning`}>
        {now.fixed ? words.whoFixed : words.whoMeans[now.chosen]}
        {!now.fixed && now.chosen !== now.usual && ` ${words.whoUsual(words.who[now.usual])}`}
      </div>
    </div>
  );
}
