/** What there is to know about one question, asked from the kernel when somebody looks. */

import type { ReadonlySignal } from "@preact/signals";
import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type {
  Catalogue,
  QuestionDetails,
  QuestionFigures,
  QuestionRecord,
} from "../catalogue/model";
import { strings } from "../catalogue/strings";
import { isAbort } from "../core/lifetime";
import { useHost } from "../ui/host";
import { Icon } from "../ui/icons";
import { strings as shared } from "../ui/strings";
import { Shares } from "./Shares";

interface DetailsProps {
  catalogue: Catalogue;
  /** Position of the question; -1 for none. */
  question: ReadonlySignal<number>;
}

export function Details({ catalogue, question }: DetailsProps) {
  const record = catalogue.questions[question.value];
  const texts = useAnswer<QuestionDetails>("question", catalogue, question);
  const figures = useAnswer<QuestionFigures>("figures", catalogue, question, PAUSE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than its room is scrolled by keys too
    <section class="al-picker-details" aria-label={strings.details} tabIndex={0}>
      {record ? (
        <Facts record={record} texts={texts} figures={figures} />
      ) : (
        <div class="al-quiet">{strings.detailsHint}</div>
      )}
    </section>
  );
}

/** Milliseconds on one question before it is counted: whoever walks past asks for nothing. */
const PAUSE = 150;

interface Told<T> {
  data?: T;
  failure?: string;
}

/** What the kernel answers about the question in focus, or null until it does. */
function useAnswer<T>(
  op: "question" | "figures",
  catalogue: Catalogue,
  question: ReadonlySignal<number>,
  pause = 0,
): Told<T> | null {
  const { requests } = useHost();
  const told = useSignal<{ code: string; told: Told<T> } | null>(null);
  const record = catalogue.questions[question.value];

  useSignalEffect(() => {
    const wanted = catalogue.questions[question.value];
    if (!wanted || told.peek()?.code === wanted.canonical) return;
    // Of a locked question the service counts nothing.
    if (op === "figures" && !wanted.accessible) return;
    const code = wanted.canonical;
    const ended = new AbortController();
    const ask = () =>
      requests
        .request<T>(op, { question: code }, { key: op, signal: ended.signal })
        .then(({ data }) => {
          told.value = { code, told: { data } };
        })
        .catch((error: Error) => {
          if (isAbort(error)) return;
          told.value = { code, told: { failure: shared.failed(error.message) } };
        });
    const timer = pause > 0 ? setTimeout(ask, pause) : void ask();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  });

  return told.value?.code === record?.canonical ? (told.value?.told ?? null) : null;
}

interface FactsProps {
  record: QuestionRecord;
  texts: Told<QuestionDetails> | null;
  figures: Told<QuestionFigures> | null;
}

function Facts({ record, texts, figures }: FactsProps) {
  return (
    <>
      <div class="al-picker-details-name" dir="auto">
        {record.name}
      </div>
      <div class="al-code al-quiet">{record.canonical}</div>
      {!record.accessible && (
        <p class="al-warning">
          <Icon name="lock" /> {texts?.data?.message || strings.lockedWhy(record.name)}
        </p>
      )}
      {texts?.failure && <p class="al-error">{texts.failure}</p>}
      {texts?.data ? <Texts texts={texts.data} /> : !texts && <Skeleton />}
      {figures?.failure && <p class="al-error">{figures.failure}</p>}
      {figures?.data ? (
        <Figures figures={figures.data} record={record} />
      ) : (
        record.accessible && !figures && <Skeleton />
      )}
      {texts?.data && <Background texts={texts.data} />}
    </>
  );
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

/** What is looked up rather than read: below the figures, as it may be long. */
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

function Figures({ figures, record }: { figures: QuestionFigures; record: QuestionRecord }) {
  const { size, sample, waves, wave_count } = figures;
  return (
    <>
      <dl>
        <Fact name={strings.waves}>{strings.askedIn(waves, wave_count)}</Fact>
        <Fact name={strings.base}>{strings.baseSize(size, sample)}</Fact>
      </dl>
      <Shares figures={figures} record={record} />
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
