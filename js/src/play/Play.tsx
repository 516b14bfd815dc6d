/**
 * A simulation of the course: native controls, an image, and the result as a sentence. Python
 * computes all of it; the page sends what was pressed or set.
 */
import "./play.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { failureOf } from "../core/answers";
import { count } from "../core/numbers";
import type { PlayControl, PlayWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";
import { Image } from "./Image";

/** Milliseconds without a change after which a result is announced. */
const SETTLED = 500;

export function Play({ host }: { host: WidgetHost<PlayWidget> }) {
  const { title, controls, buttons, svg, alt, words, figures } = host.trait("scene").value;
  const failure = useSignal("");
  const first = useMemo(() => words, [host]);
  const move = (args: PlayWidget["operations"]["move"][0]) =>
    host.requests.request("move", args, { signal: host.lifetime }).then(
      () => {
        failure.value = "";
      },
      (error) => {
        failure.value = failureOf(error) ?? "";
      },
    );
  useEffect(() => {
    if (words === first) return;
    const timer = setTimeout(() => host.announce(words), SETTLED);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <div class="al-play">
      <div class="al-play-title">{title}</div>
      <div class="al-play-controls">
        {controls.map((each) => {
          const Input = each.choices.length > 0 ? Choice : Slider;
          const set = (value: number) => move({ name: each.name, value });
          return <Input key={each.name} control={each} onSet={set} />;
        })}
      </div>
      <div class="al-play-buttons">
        {buttons.map((button) => (
          <button key={button} type="button" class="al-button" onClick={() => move({ button })}>
            {button}
          </button>
        ))}
      </div>
      <Image svg={svg} alt={alt} />
      <p class="al-play-words">{words}</p>
      {failure.value && <p class="al-error">{failure.value}</p>}
      <div class="al-play-figures">
        {figures.map(({ label, text }) => (
          <div key={label}>
            <span>{label}:</span> <b>{text}</b>
          </div>
        ))}
      </div>
    </div>
  );
}

interface ControlProps {
  control: PlayControl;
  onSet(value: number): Promise<void>;
}

/** A slider sends where it is, and while that is on its way, only the last position after it. */
function Slider({ control, onSet }: ControlProps) {
  const { label, least, most, step, unit } = control;
  const held = useSignal<number | null>(null);
  const value = held.value ?? control.value;
  const text = `${count(value)}${unit}`;
  const slide = async (to: number) => {
    const isSending = held.peek() !== null;
    held.value = to;
    if (isSending) return;
    for (let sent: number | null = null; sent !== held.peek(); ) {
      sent = held.peek();
      await onSet(sent ?? to);
    }
    held.value = null;
  };
  return (
    <label class="al-play-control">
      <span>{label}</span>
      <input
        type="range"
        min={least}
        max={most}
        step={step}
        value={value}
        aria-valuetext={text}
        onInput={(event) => slide(event.currentTarget.valueAsNumber)}
      />
      <output>{text}</output>
    </label>
  );
}

function Choice({ control: { name, label, choices, value }, onSet }: ControlProps) {
  const group = useMemo(() => `${name}-${Math.random()}`, [name]);
  return (
    <fieldset class="al-play-choice">
      <legend>{label}</legend>
      {choices.map((choice, at) => (
        <label key={choice}>
          <input type="radio" name={group} checked={at === value} onChange={() => onSet(at)} />
          <bdi>{choice}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
