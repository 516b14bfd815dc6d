/** The details of one question, loaded from the kernel on demand. */

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type {
  Catalogue,
  QuestionDetails,
  QuestionFigures,
  QuestionRecord,
} from "../catalogue/model";
import { strings } from "../catalogue/strings";
import { percent } from "../core/numbers";
import type { CatalogueWidget } from "../protocol";
import { useHost } from "../ui/host";
import { Icon } from "../ui/icons";
import { type Resource, useResource } from "../ui/resource";
import { strings as shared } from "../ui/strings";

interface DetailsProps {
  catalogue: Catalogue;
  /** Position of the question; -1 for none. */
  question: ReadonlySignal<number>;
}

export function Details({ catalogue, question }: DetailsProps) {
  const { requests } = useHost<CatalogueWidget>();
  const record = catalogue.questions[question.value];
  const ask = <O extends "question" | "figures">(op: O) =>
    record
      ? async (signal: AbortSignal) => {
          const args = { question: record.canonical };
          return (await requests.request(op, args, { key: op, signal })).data;
        }
      : null;
  const texts = useResource(record, ask("question"));
  // The service does not count locked questions.
  const countable = record?.accessible ? ask("figures") : null;
  const figures = useResource(record, countable, PAUSE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: longer content scrolls with keys
    <section class="al-picker-details" aria-label={strings.details} tabIndex={0}>
      {record ? (
        <Facts record={record} texts={texts} figures={figures} />
      ) : (
        <div class="al-quiet">{strings.detailsHint}</div>
      )}
    </section>
  );
}

/** Milliseconds on one question before it is counted, so that moving past it sends no request. */
const PAUSE = 150;

interface FactsProps {
  record: QuestionRecord;
  texts: Resource<QuestionDetails>;
  figures: Resource<QuestionFigures>;
}

function Facts({ record, texts, figures }: FactsProps) {
  const loaded = texts.isStale ? undefined : texts.data;
  const counted = figures.isStale ? undefined : figures.data;
  return (
    <>
      <div class="al-picker-details-name" dir="auto">
        {record.name}
      </div>
      <div class="al-code al-quiet">{record.canonical}</div>
      {!record.accessible && (
        <p class="al-warning">
          <Icon name="lock" /> {loaded?.message || strings.lockedWhy(record.name)}
        </p>
      )}
      {loaded ? <Texts texts={loaded} /> : <Waiting failure={texts.failure} />}
      {counted && <Figures figures={counted} record={record} />}
      {!counted && record.accessible && <Waiting failure={figures.failure} />}
      {loaded && <Background texts={loaded} />}
    </>
  );
}

/** In place of an answer: an error, or a loading message. */
function Waiting({ failure }: { failure: string }) {
  return failure ? <p class="al-error">{shared.failed(failure)}</p> : <Skeleton />;
}

function Texts({ texts }: { texts: QuestionDetails }) {
  const { description, notice, warning } = texts;
  return (
    <>
      {description && <p dir="auto">{description}</p>}
      {warning && (
        <p class="al-warning">
          <Icon name="warning" /> {warning}
        </p>
      )}
      {notice && (
        <p>
          <Icon name="info" /> {notice}
        </p>
      )}
    </>
  );
}

/** Reference information, below the values because it may be long. */
function Background({ texts }: { texts: QuestionDetails }) {
  const { knowledge_base, unit, datasets } = texts;
  return (
    <dl>
      {unit && <Fact name={strings.unit}>{unit}</Fact>}
      {datasets.length > 0 && <Fact name={strings.datasets}>{datasets.join(", ")}</Fact>}
      {knowledge_base && <Fact name={strings.knowledge}>{knowledge_base}</Fact>}
    </dl>
  );
}

interface FiguresProps {
  figures: QuestionFigures;
  record: QuestionRecord;
}

function Figures({ figures, record }: FiguresProps) {
  const { base, size, sample, least_sample, waves, wave_count } = figures;
  return (
    <>
      <dl>
        <Fact name={strings.waves}>{strings.askedIn(waves, wave_count)}</Fact>
        <Fact name={strings.base}>{strings.baseSize(base, size, sample, least_sample)}</Fact>
      </dl>
      {figures.items.length > 0 ? (
        <Items figures={figures} record={record} />
      ) : (
        <Shares figures={figures} record={record} />
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt class="al-quiet">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Skeleton() {
  return (
    <div aria-hidden="true">
      {["80%", "95%", "60%"].map((width) => (
        <div key={width} class="al-skeleton" style={{ width }} />
      ))}
    </div>
  );
}

/** The scale of a grid from the first point to the last, as parts of one colour. */
const shade = (at: number, points: number) => 1 - (0.8 * at) / Math.max(points - 1, 1);

/** How the answers to each item of a grid divide over the points of its scale. */
function Items({ figures: { items, more }, record }: FiguresProps) {
  const { codes, names } = record.datapoints;
  const points = record.suffixes.names.map((name, at) => name || record.suffixes.codes[at] || "");
  const part = (at: number) => ({ opacity: shade(at, points.length) });
  return (
    <div class="al-picker-shares al-picker-items">
      <ul class="al-picker-scale">
        {points.map((name, at) => (
          <li key={record.suffixes.codes[at]}>
            <span class="al-picker-part" style={part(at)} />
            <span dir="auto">{name}</span>
          </li>
        ))}
      </ul>
      <ul aria-label={strings.items}>
        {items.map(({ datapoint, percentages }) => {
          const name = names[codes.indexOf(datapoint)] || datapoint;
          const said = percentages.map((each, at) => `${points[at]} ${percent(each)}`);
          return (
            <li key={datapoint} class="al-picker-item" title={said.join("\n")}>
              <span class="al-clip" dir="auto">
                {name}
              </span>
              <span class="al-picker-stack" role="img" aria-label={said.join(", ")}>
                {percentages.map((each, at) => (
                  <span
                    key={record.suffixes.codes[at]}
                    class="al-picker-part"
                    style={{ ...part(at), width: `${each ?? 0}%` }}
                  />
                ))}
              </span>
            </li>
          );
        })}
      </ul>
      {more > 0 && <div class="al-quiet">{strings.moreItems(more)}</div>}
    </div>
  );
}

/** The shares of the answers as bars, for a quick overview. */
function Shares({ figures: { shares, more }, record }: FiguresProps) {
  const { codes, names } = record.datapoints;
  const widest = Math.max(...shares.map(({ percentage }) => percentage ?? 0), 1);
  return (
    <div class="al-picker-shares">
      <ul aria-label={strings.shares}>
        {shares.map(({ datapoint, percentage, offered }) => {
          const name = names[codes.indexOf(datapoint)] || datapoint;
          return (
            <li key={datapoint}>
              <span class="al-clip" dir="auto" title={name}>
                {name}
              </span>
              <span class="al-picker-bar">
                <span style={{ width: `${(100 * (percentage ?? 0)) / widest}%` }} />
              </span>
              <span class="al-number">{percent(percentage)}</span>
              {offered && (
                <span class="al-picker-offered al-quiet">{strings.offered(offered)}</span>
              )}
            </li>
          );
        })}
      </ul>
      {more > 0 && <div class="al-quiet">{strings.moreShares(more)}</div>}
    </div>
  );
}
