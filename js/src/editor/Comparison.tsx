/** Compares this audience with another: the size of each and of their overlap. */

import { written } from "../core/numbers";
import type { ComparedPart } from "../protocol";
import { IconButton } from "../ui/icons";
import { useEditor } from "./context";
import { words } from "./strings";

export function Comparison() {
  const { state, comparing, measuring } = useEditor();
  const other = comparing.other.value;
  if (!other) return null;
  const failure = comparing.failure.value;
  const compared = comparing.compared.value;
  const name = state.document.value.name || words.thisAudience;
  // True from an edit until new sizes arrive, and while the tree is incomplete.
  const isOld = comparing.stale.value || measuring.outdated.value;
  return (
    <section class="al-editor-comparison" aria-label={words.comparison}>
      <div class="al-bar">
        <span class="al-quiet">{words.beside(name, other.name)}</span>
        <span class="al-spacer" />
        <IconButton
          icon="close"
          label={words.endComparison}
          onClick={() => {
            comparing.beside(null);
            state.focus(state.activeId.peek());
          }}
        />
      </div>
      {failure !== null && <div class="al-error">{failure}</div>}
      {!compared && failure === null && <div class="al-skeleton" />}
      {compared && (
        <div class={isOld ? "al-stale" : ""}>
          <Bar parts={compared.parts} />
          <table class="al-editor-parts">
            <tbody>
              {compared.parts.map((part, place) => (
                <tr key={words.parts(name, other.name)[place]}>
                  <th scope="row">
                    <span class={`al-editor-swatch part-${place}`} />
                    {words.parts(name, other.name)[place]}
                  </th>
                  <td class="al-number">{written(part.size, 0)}</td>
                  <td class="al-number">{words.sampleOf(part.sample)}</td>
                  <td class="al-number">{words.ofBase(part.percentage)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {compared.notes.map((note) => (
            <div key={note} class="al-editor-remark note">
              {note}
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

/** Widths are proportional to the weighted counts; the table below has the same numbers. */
function Bar({ parts }: { parts: readonly ComparedPart[] }) {
  const all = parts.reduce((sum, { size }) => sum + size, 0);
  if (all === 0) return null;
  return (
    <div class="al-editor-venn" aria-hidden="true">
      {parts.map(({ size }, place) => (
        <span key={place} class={`part-${place}`} style={{ width: `${(100 * size) / all}%` }} />
      ))}
    </div>
  );
}
