/**
 * The card of the survey above the table: what its import took for granted, the worst first, with
 * the choices of each. A choice changes the survey, and the table is counted again.
 */
import "./card.css";
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { pageId } from "../core/ids";
import type { CardGuess, SurveyCard, WorkbenchWidget } from "../protocol";
import { useAttempt } from "../ui/attempt";
import { CopyButton } from "../ui/CopyButton";
import { Choice } from "../ui/Field";
import { FilterList } from "../ui/FilterList";
import { useHost } from "../ui/host";
import { Icon, IconButton } from "../ui/icons";
import { useResource } from "../ui/resource";
import { words as all } from "./strings";

const words = all.card;

/** Lines of the whole survey, which come first: weight, waves and base. */
const SETTINGS = 3;
const SEARCHED = 20;
/** Pixels: a workbench that is lower begins with the card folded. */
const LOW = 420;

export function AboutSurvey({ onOpen }: { onOpen(): void }) {
  const open = useHost<WorkbenchWidget>().trait("_card");
  return (
    <IconButton
      icon="info"
      label={words.about}
      aria-expanded={open.value}
      onClick={() => {
        open.set(!open.peek());
        if (open.peek()) onOpen();
      }}
    />
  );
}

export function Card() {
  const open = useHost<WorkbenchWidget>().trait("_card");
  return open.value ? <OpenCard onClose={() => open.set(false)} /> : null;
}

function OpenCard({ onClose }: { onClose(): void }) {
  const { trait, requests, lifetime, announce, root } = useHost<WorkbenchWidget>();
  // In a low window the table needs all of it; a page that is not laid out yet has no height.
  const unfolded = useSignal(root.clientHeight === 0 || root.clientHeight >= LOW);
  const gone = useSignal<readonly string[]>([]);
  const why = useSignal("");
  /** The choice that is being made, until the survey has it. */
  const pending = useSignal<Pending | null>(null);
  const attempt = useAttempt((failure) => {
    why.value = failure;
  });
  const { data, failure, retry } = useResource(trait("_revision").value, async (signal) => {
    return (await requests.request("card", {}, { signal })).data;
  });
  const change = (next: Pending) =>
    attempt(async () => {
      pending.value = next;
      announce(words.counting);
      const { guess, choice } = next;
      const options = { signal: lifetime };
      try {
        const answer =
          choice === null
            ? await requests.request("unsettle", { guess }, options)
            : await requests.request("settle", { guess, choice }, options);
        gone.value = answer.data.gone;
        announce(gone.peek().length ? words.gone(gone.peek()) : words.counted);
      } finally {
        pending.value = null;
      }
      return "";
    });
  return (
    <section class="al-card" aria-label={words.about}>
      <div class="al-card-line">
        <button
          type="button"
          class="al-card-toggle"
          aria-expanded={unfolded.value}
          onClick={() => {
            unfolded.value = !unfolded.peek();
          }}
        >
          <Icon name={unfolded.value ? "down" : "right"} />
          <span>{data ? <Facts card={data} /> : words.about}</span>
        </button>
        <IconButton icon="close" label={words.close} onClick={onClose} />
      </div>
      {unfolded.value && (
        <div class="al-card-body" aria-busy={pending.value !== null}>
          {data?.first && (
            <div class="al-quiet">
              <bdi>{data.first}</bdi> {words.changeFirst}
            </div>
          )}
          {gone.value.length > 0 && <div>{words.gone(gone.value)}</div>}
          {why.value && <div class="al-error">{why.value}</div>}
          {failure && (
            <div class="al-error">
              {failure}{" "}
              <button type="button" class="al-link" onClick={retry}>
                {words.again}
              </button>
            </div>
          )}
          {data && <Guesses guesses={data.guesses} pending={pending} change={change} />}
        </div>
      )}
    </section>
  );
}

interface Pending {
  readonly guess: string;
  /** null takes the choice back. */
  readonly choice: number | null;
}

function Facts({ card }: { card: SurveyCard }) {
  return (
    <>
      {card.facts.map(({ text, worst }, at) => (
        <>
          {at > 0 && " · "}
          <bdi class={worst ? "al-card-worst" : ""}>{text}</bdi>
          {worst && (
            <span class="al-card-worst" title={words.check}>
              {" "}
              <Icon name="warning" />
              <span class="al-sr-only">{words.check}</span>
            </span>
          )}
        </>
      ))}
    </>
  );
}

interface GuessesProps {
  guesses: readonly CardGuess[];
  pending: Signal<Pending | null>;
  change(next: Pending): void;
}

/** First the settings and what may be wrong, the rest on demand, with a search. */
function Guesses({ guesses, pending, change }: GuessesProps) {
  const whole = useSignal(false);
  const few = guesses.filter(
    ({ changed, severity }, at) => at < SETTINGS || changed || severity === 0,
  );
  const more = guesses.length - few.length;
  const line = (guess: CardGuess) => (
    <Guess key={guess.id} guess={guess} pending={pending.value} change={change} />
  );
  return (
    <div class="al-card-guesses">
      {whole.value ? (
        <FilterList items={guesses} textOf={textOf} label={words.search} few={SEARCHED}>
          {(shown) => shown.map(line)}
        </FilterList>
      ) : (
        few.map(line)
      )}
      {more > 0 && (
        <button
          type="button"
          class="al-link"
          aria-expanded={whole.value}
          onClick={() => {
            whole.value = !whole.peek();
          }}
        >
          {whole.value ? words.fewer : words.more(more)}
        </button>
      )}
    </div>
  );
}

function textOf({ id, subject, name, said, choices }: CardGuess): string {
  return [id, subject, name, said, ...choices.map(({ label }) => label)].join(" ");
}

function Guess({
  guess,
  pending,
  change,
}: {
  guess: CardGuess;
  pending: Pending | null;
  change(next: Pending): void;
}) {
  const id = useMemo(() => pageId("guess"), []);
  const { choices, severity, name, subject, said, refusal, changed } = guess;
  const isPending = pending?.guess === guess.id;
  const codes = choices.length
    ? choices.filter((each) => each.code)
    : [{ label: "", code: guess.code, present: false }].filter((each) => each.code);
  return (
    <fieldset class="al-card-guess" aria-labelledby={id}>
      <div id={id} class="al-card-said">
        {severity === 0 && !changed && (
          <span class="al-card-worst" title={words.check}>
            <Icon name="warning" />
            <span class="al-sr-only">{words.check}</span>
          </span>
        )}
        <span class="al-card-subject">{words.subject(subject)}</span> <bdi>{name || said}</bdi>
        {name && (
          <div class="al-quiet">
            <bdi>{said}</bdi>
          </div>
        )}
      </div>
      <div class="al-card-choices">
        {choices.map((each, at) => (
          <Choice
            key={each.label}
            group={id}
            checked={isPending && pending.choice !== null ? pending.choice === at : each.present}
            disabled={pending !== null || (refusal !== "" && !each.present)}
            onChange={() => change({ guess: guess.id, choice: at })}
          >
            <bdi>{each.label}</bdi>
          </Choice>
        ))}
        {isPending && <div class="al-quiet">{words.counting}</div>}
        {refusal && choices.length > 1 && <div class="al-quiet">{refusal}</div>}
        <div class="al-bar al-card-acts">
          {changed && (
            <button
              type="button"
              class="al-link"
              disabled={pending !== null}
              onClick={() => change({ guess: guess.id, choice: null })}
            >
              {words.undo}
            </button>
          )}
          {codes.length > 0 && (
            <details class="al-card-code">
              <summary>{words.code}</summary>
              {codes.map((each) => (
                <CodeLine key={each.code} label={each.label} code={each.code} />
              ))}
            </details>
          )}
        </div>
      </div>
    </fieldset>
  );
}

function CodeLine({ label, code }: { label: string; code: string }) {
  const failed = useSignal("");
  return (
    <div class="al-card-copied">
      {label && <bdi class="al-quiet">{label}</bdi>}
      <span class="al-bar">
        <code>{code}</code>
        <CopyButton
          of={code}
          text={() => code}
          label={words.copy}
          onFailed={(why) => {
            failed.value = why;
          }}
        />
      </span>
      {failed.value && <span class="al-error">{failed.value}</span>}
    </div>
  );
}
