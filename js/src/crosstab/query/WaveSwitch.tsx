/**
 * Two switches beside the waves: the waves as columns, and then what each has changed by since the
 * wave before, with the marks of its tests.
 */
import type { QueryEditor } from "./queryEditor";
import { words } from "./strings";

export function WaveSwitch({ editor }: { editor: QueryEditor }) {
  const { host } = editor;
  const shown = editor.summary.value?.wave_columns ?? false;
  const [metrics, significance] = [host.trait("metrics"), host.trait("significance")];
  const isCompared = metrics.value?.includes("change") ?? false;
  const compare = (isOn: boolean) => {
    const others = metrics.peek().filter((name) => name !== "change");
    metrics.set(isOn ? [...others.slice(0, 3), "change"] : others);
    significance.set(isOn ? "previous wave" : "arrows");
  };
  const showWaves = async () => {
    if ((await editor.edit({ do: "wave_columns", shown: !shown })) && shown && isCompared)
      compare(false);
  };
  return (
    <span class="al-segmented al-query-waves">
      <button type="button" aria-pressed={shown} onClick={() => void showWaves()}>
        {words.waveColumns}
      </button>
      {shown && (
        <button
          type="button"
          title={words.changesHint}
          aria-pressed={isCompared}
          onClick={() => compare(!isCompared)}
        >
          {words.changes}
        </button>
      )}
    </span>
  );
}
