/** The facets: a button with a panel of values, and a chip for each selected value. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isAbort } from "../core/lifetime";
import { count } from "../core/numbers";
import type { CatalogueWidget } from "../protocol";
import { useHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { Popover, usePopover } from "../ui/Popover";
import { strings as shared } from "../ui/strings";
import { chosenValues, type Facet, facetsOf, facetValues } from "./facets";
import type { PickerState } from "./state";
import { strings } from "./strings";

export function FilterButton({ state }: { state: PickerState }) {
  const { isOpen, opener, panel } = usePopover();
  const made = chosenValues(state.chosen.value).length;
  return (
    <>
      <IconButton icon="filter" label={strings.filters(made)} data-on={made > 0} {...opener} />
      {isOpen && (
        <Popover label={strings.filter} {...panel}>
          <div class="al-picker-facets">
            {facetsOf(state.catalogue).map((facet) => (
              <FacetChoice key={facet} state={state} facet={facet} />
            ))}
          </div>
        </Popover>
      )}
    </>
  );
}

/** One facet; hidden where all questions have the same value. */
function FacetChoice({ state, facet }: { state: PickerState; facet: Facet }) {
  const { catalogue, chosen, coverage } = state;
  const values = facetValues(catalogue, facet, chosen.value, coverage.value);
  const toCome = facet === "wave" && !coverage.value;
  const list = useRef<HTMLFieldSetElement>(null);
  const wereToCome = useRef(toCome);
  useLayoutEffect(() => {
    // The list of waves replaces the button that requested it, and takes over its focus.
    const lost = !list.current?.closest(".al-popover")?.matches(":focus-within");
    if (wereToCome.current && !toCome && lost) list.current?.querySelector("input")?.focus();
    wereToCome.current = toCome;
  }, [toCome]);
  if (values.length < 2 && !toCome) return null;
  return (
    <fieldset ref={list} class="al-picker-choices">
      <legend class="al-quiet">{strings.facets[facet]}</legend>
      {toCome && <WavesToCome state={state} />}
      {values.map(({ value, count: many, chosen: on }) => (
        <label key={value} class="al-menu-item">
          <input type="checkbox" checked={on} onChange={() => state.toggleFacet(facet, value)} />
          <span class="al-clip">{facetLabel(state, facet, value)}</span>
          <span class="al-spacer" />
          <span class="al-number al-quiet">{count(many)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Waves are loaded on request only: the service must count every question for them. */
function WavesToCome({ state }: { state: PickerState }) {
  const { requests, lifetime } = useHost<CatalogueWidget>();
  const problem = useSignal("");
  const asked = useSignal(false);
  const ask = () => {
    asked.value = true;
    problem.value = "";
    requests
      .request("coverage", {}, { key: "coverage", signal: lifetime })
      .then(({ data }) => {
        state.coverage.value = data;
      })
      .catch((error: Error) => {
        asked.value = false;
        if (!isAbort(error)) problem.value = shared.failed(error.message);
      });
  };
  return (
    <>
      {problem.value && <p class="al-error">{problem.value}</p>}
      <button
        type="button"
        class="al-menu-item"
        aria-disabled={asked.value}
        onClick={() => asked.peek() || ask()}
      >
        {asked.value ? strings.coverageLoading : strings.showWaves}
      </button>
    </>
  );
}

interface ChosenFacetsProps {
  state: PickerState;
  /** Called when a chip is removed, because its button is then gone. */
  onDrop(): void;
}

/** The selected values, each with a button that removes it. */
export function ChosenFacets({ state, onDrop }: ChosenFacetsProps) {
  const made = chosenValues(state.chosen.value);
  if (made.length === 0) return null;
  return (
    <>
      {made.map(({ facet, value }) => {
        const label = facetLabel(state, facet, value);
        return (
          <span key={`${facet} ${value}`} class="al-chip al-picker-facet">
            <span class="al-clip">{label}</span>
            <IconButton
              icon="close"
              label={strings.dropFilter(label)}
              onClick={() => {
                state.toggleFacet(facet, value);
                onDrop();
              }}
            />
          </span>
        );
      })}
      <button
        type="button"
        class="al-link"
        onClick={() => {
          state.choose({});
          onDrop();
        }}
      >
        {strings.clearFilters}
      </button>
    </>
  );
}

function facetLabel({ catalogue, coverage }: PickerState, facet: Facet, value: string): string {
  const named =
    facet === "dataset" ? catalogue.datasets : facet === "wave" ? coverage.value?.waves : undefined;
  const name = named?.find(({ code }) => code === value)?.name;
  // A namespace may have the same name as one of our values.
  return name ?? (facet === "namespace" ? value : (strings.facetValues[value] ?? value));
}
