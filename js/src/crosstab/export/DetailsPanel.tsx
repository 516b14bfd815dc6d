/**
 * The panel below the table: audiences of a cell, formulas of its values, and their reliability.
 */

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { percent } from "../../core/numbers";
import { CopyButton } from "../../ui/CopyButton";
import { metricLabel } from "../metrics/metrics";
import type { CellCount, CellDetailsState, CellReport } from "./cellDetails";
import { words } from "./strings";

interface Props {
  details: CellDetailsState;
}

export function DetailsPanel({ details }: Props) {
  return details.isOpen.value ? <Panel details={details} /> : null;
}

function Panel({ details }: Props) {
  const summary = details.summary.value;
  return (
    <section
      class="al-full"
      aria-label={summary?.title ?? words.inFull}
      onKeyDown={(event) => details.leave(event)}
    >
      {summary && <CellSummary summary={summary} isTurned={details.isTurned} />}
      {!summary && <div class="al-quiet">{details.problem.value ?? words.loading}</div>}
    </section>
  );
}

function CellSummary({ summary, isTurned }: { summary: CellReport; isTurned: boolean }) {
  return (
    <div class="al-full-parts">
      <Who counts={summary.counts} isTurned={isTurned} />
      <CellCounts summary={summary} isTurned={isTurned} />
      <div class="al-full-part">
        <h3>{words.howSure}</h3>
        <ul>
          {[summary.test, ...summary.notes, summary.waves && words.waves(summary.waves)]
            .filter(Boolean)
            .map((note) => (
              <li key={note}>{note}</li>
            ))}
        </ul>
        <Code code={summary.code} />
      </div>
    </div>
  );
}

/** Labels of the query's rows and columns in a transposed table. */
const TURNED = { ...words.roles, row: words.roles.column, column: words.roles.row };

/** Bars of one scale that overlap by the number of respondents in both audiences. */
function Who({ counts, isTurned }: { counts: readonly CellCount[]; isTurned: boolean }) {
  const seen = isTurned ? TURNED : words.roles;
  const share = (role: string) => counts.find((each) => each.role === role)?.share ?? 0;
  const start = Math.max(0, share("row") - share("both"));
  return (
    <div class="al-full-part">
      <h3>{words.who}</h3>
      <table>
        <thead class="al-sr-only">
          <tr>
            <th scope="col">{words.who}</th>
            <th scope="col">{words.people}</th>
            <th scope="col">{words.respondents}</th>
          </tr>
        </thead>
        <tbody>
          {counts.map(({ role, name, words: sentence, size, sample, share: part }) => (
            <tr key={role} data-role={role}>
              <th scope="row">
                <span class="al-quiet">{seen[role]}</span> {name}
                {sentence !== name && <span class="al-full-words">{sentence}</span>}
                {part !== null && (
                  <span class="al-full-track" aria-hidden="true">
                    <span
                      style={{
                        left: `${100 * (role === "column" || role === "both" ? start : 0)}%`,
                        width: `${100 * part}%`,
                      }}
                    />
                  </span>
                )}
              </th>
              <td title={part === null ? undefined : words.shareOf(percent(100 * part))}>{size}</td>
              <td class="al-quiet">{sample}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellCounts({ summary, isTurned }: { summary: CellReport; isTurned: boolean }) {
  return (
    <div class="al-full-part">
      <div class="al-full-head">
        <h3>{words.figures}</h3>
        <span class="al-spacer" />
        <span class="al-quiet">{words.interval}</span>
      </div>
      <table>
        <tbody>
          {summary.formulas.map(({ metric, value, written, interval }) => (
            <Fragment key={metric}>
              <tr>
                <th scope="row">{metricLabel(metric, isTurned)}</th>
                <td>
                  <b>{value}</b>
                </td>
                <td class="al-quiet">{interval}</td>
              </tr>
              <tr>
                <td class="al-full-formula" colSpan={3}>
                  {written}
                </td>
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({ code }: { code: string }) {
  const failed = useSignal("");
  return (
    <>
      <div class="al-full-head">
        <h3>{words.audience}</h3>
        <span class="al-spacer" />
        <CopyButton
          of={code}
          text={() => code}
          icon="code"
          label={words.copyCode}
          onFailed={(why) => {
            failed.value = why;
          }}
        />
      </div>
      {failed.value && <p class="al-error">{failed.value}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll */}
      <pre tabIndex={0}>{code}</pre>
    </>
  );
}
