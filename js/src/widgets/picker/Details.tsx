/** What there is to know about one question, asked from the kernel when somebody looks. */

import type { ReadonlySignal } from "@preact/signals";
import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useHost } from "../../shared/host";
import { Icon } from "../../shared/icons";
import { isAbort } from "../../shared/lifetime";
import { strings as shared } from "../../shared/strings";
import type { Catalogue, QuestionDetails, QuestionRecord } from "./catalogue";
import { strings } from "./strings";

interface DetailsProps {
  catalogue: Catalogue;
  /** Position of the question; -1 for none. */
  question: ReadonlySignal<number>;
}

type Loaded = { code: string; details?: QuestionDetails; failure?: string };

export function Details({ catalogue, question }: DetailsProps) {
  const { requests } = useHost();
  const loaded = useSignal<Loaded | null>(null);
  const record = catalogue.questions[question.value];

  useSignalEffect(() => {
    const code = catalogue.questions[question.value]?.canonical;
    if (code === undefined || loaded.peek()?.code === code) return;
    const ended = new AbortController();
    loaded.value = { code };
    requests
      .request<QuestionDetails>(
        "question",
        { question: code },
        { key: "details", signal: ended.signal },
      )
      .then(({ data }) => {
        loaded.value = { code, details: data };
      })
      .catch((error: Error) => {
        if (!isAbort(error)) loaded.value = { code, failure: shared.failed(error.message) };
      });
    return () => {
      ended.abort();
      if (!loaded.peek()?.details) loaded.value = null;
    };
  });

  return (
    <section class="al-picker-details" aria-label={strings.details}>
      {record ? (
        <Facts record={record} loaded={loaded.value} />
      ) : (
        <div class="al-quiet">{strings.detailsHint}</div>
      )}
    </section>
  );
}

function Facts({ record, loaded }: { record: QuestionRecord; loaded: Loaded | null }) {
  const details = loaded?.code === record.canonical ? loaded.details : undefined;
  return (
    <>
      <div class="al-picker-details-name">{record.name}</div>
      <div class="al-code al-quiet">{record.canonical}</div>
      {!record.accessible && (
        <p class="al-warning">
          <Icon name="lock" /> {details?.message || strings.lockedWhy(record.name)}
        </p>
      )}
      {loaded?.failure && <p class="al-error">{loaded.failure}</p>}
      {details ? <Texts details={details} /> : !loaded?.failure && <Skeleton />}
    </>
  );
}

function Texts({ details }: { details: QuestionDetails }) {
  const { description, knowledge_base, notice, warning, unit, datasets, waves, wave_count } =
    details;
  return (
    <>
      {description && <p>{description}</p>}
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
      <dl>
        {waves && <Fact name={strings.waves}>{strings.askedIn(waves, wave_count)}</Fact>}
        {unit && <Fact name={strings.unit}>{unit}</Fact>}
        {datasets.length > 0 && <Fact name={strings.datasets}>{datasets.join(", ")}</Fact>}
        {knowledge_base && <Fact name={strings.knowledge}>{knowledge_base}</Fact>}
      </dl>
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
