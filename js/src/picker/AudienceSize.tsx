/** How many people the picked answers mean together. An old figure is greyed until the new one is there. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Selection } from "../catalogue/selection";
import { strings } from "../catalogue/strings";
import { isAbort } from "../core/lifetime";
import { useHost } from "../ui/host";
import { strings as shared } from "../ui/strings";

interface Measure {
  size: number;
  sample: number;
  /** Share of everybody, 0 to 100; null where nobody was asked. */
  percentage: number | null;
}

interface Told {
  of: Selection;
  measure?: Measure;
  failure?: string;
}

export function AudienceSize({ selection }: { selection: Selection }) {
  const { requests } = useHost();
  const told = useSignal<Told | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    requests
      .request<Measure>("size", { selection }, { key: "size", signal: ended.signal })
      .then(({ data }) => {
        told.value = { of: selection, measure: data };
      })
      .catch((error: Error) => {
        if (isAbort(error)) return;
        told.value = { of: selection, failure: shared.failed(error.message) };
      });
    return () => ended.abort();
  }, [selection]);

  const { of, measure, failure } = told.value ?? {};
  if (failure && of === selection) return <div class="al-error">{failure}</div>;
  return (
    <div class={`al-picker-size ${of === selection ? "" : "al-stale"}`} role="status">
      {measure ? strings.size(measure.size, measure.percentage, measure.sample) : strings.sizing}
    </div>
  );
}
