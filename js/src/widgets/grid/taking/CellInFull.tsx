/** The panel below the table: who is in a cell, how its figures come about, how sure they are. */
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { CopyButton } from "../../../shared/CopyButton";
import { metricLabel } from "../metrics";
import type { CellTold, CountTold, Drill } from "./drill";
import { words } from "./strings";

interface Props {
  drill: Drill;
}

export function CellInFull({ drill }: Props) {
  return drill.isOpen.value ? <Panel drill={drill} /> : null;
}

function Panel({ drill }: Props) {
  const told = drill.told.value;
  return (
    <section
      class="al-full"
      aria-label={told?.title ?? words.inFull}
      onKeyDown={(event) => drill.leave(event)}
    >
      {told && <Told told={told} isTurned={drill.isTurned} />}
      {!told && <div class="al-quiet">{drill.problem.value ?? words.loading}</div>}
    </section>
  );
}

function Told({ told, isTurned }: { told: CellTold; isTurned: boolean }) {
  return (
    <div class="al-full-parts">
      <Who counts={told.counts} isTurned={isTurned} />
      <Figures told={told} isTurned={isTurned} />
      <div class="al-full-part">
        <h3>{words.howSure}</h3>
        <ul>
          {[told.test, ...told.notes, told.waves && words.waves(told.waves)]
            .filter(Boolean)
            .map((note) => (
              <li key={note}>{note}</li>
            ))}
        </ul>
        <Code code={told.code} />
      </div>
    </div>
  );
}

/** What the query's row and column are called where they are seen the other way round. */
const TURNED = { ...words.roles, row: words.roles.column, column: words.roles.row };

/** Bars to one scale, placed so that they overlap by just as many people as are in both. */
function Who({ counts, isTurned }: { counts: readonly CountTold[]; isTurned: boolean }) {
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
              <td title={part === null ? undefined : words.shareOf(percent(part))}>{size}</td>
              <td class="al-quiet">{sample}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Figures({ told, isTurned }: { told: CellTold; isTurned: boolean }) {
  return (
    <div class="al-full-part">
      <div class="al-full-head">
        <h3>{words.figures}</h3>
        <span class="al-spacer" />
        <span class="al-quiet">{words.interval}</span>
      </div>
      <table>
        <tbody>
          {told.formulas.map(({ metric, value, written, interval }) => (
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

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
