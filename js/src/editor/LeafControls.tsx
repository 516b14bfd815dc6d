/** A condition in its row: question, operator, answers and suffixes. */
import { Icon, IconButton } from "../ui/icons";
import { Control } from "./Control";
import { useEditor } from "./context";
import type { LeafNode, NumberEnds, Quantifier } from "./document";
import { answerName, questionName, suffixName } from "./labels";
import { words } from "./strings";

/** Above this number of chips, the rest is in the panel. */
const MOST_CHIPS = 6;

export function LeafControls({ leaf, active }: { leaf: LeafNode; active: boolean }) {
  const { state } = useEditor();
  const question = state.lookup.value?.(leaf.question);
  const name = questionName(leaf, question);
  const choose = () => {
    state.activate(leaf.id);
    state.overlay.value = { kind: "answers", id: leaf.id };
  };
  return (
    <>
      <button
        type="button"
        class="al-editor-question al-clip"
        dir="auto"
        tabIndex={active ? 0 : -1}
        data-control
        data-opens={`answers ${leaf.id}`}
        aria-label={words.editAnswers(name)}
        title={`${name} (${leaf.question})`}
        onClick={choose}
      >
        {name}
      </button>
      {leaf.numbers ? (
        <Range leaf={leaf} numbers={leaf.numbers} name={name} active={active} />
      ) : (
        <>
          <HowMany leaf={leaf} active={active} />
          <Answers leaf={leaf} active={active} onMore={choose} />
        </>
      )}
      {(leaf.suffixes.length > 0 || (question?.suffixes.codes.length ?? 0) > 0) && (
        <Control active={active} class="al-editor-suffixes" title={words.suffixes} onPress={choose}>
          {leaf.suffixes.length === 0
            ? words.anySuffix
            : leaf.suffixes.map((code) => suffixName(code, question)).join(" / ")}
        </Control>
      )}
    </>
  );
}

interface RangeProps {
  leaf: LeafNode;
  numbers: NumberEnds;
  name: string;
  active: boolean;
}

/** The two ends of a range of numbers; an empty field leaves that side open. */
function Range({ leaf, numbers, name, active }: RangeProps) {
  const { edits } = useEditor();
  const setEnd = (input: HTMLInputElement, end: keyof NumberEnds) => {
    // What is not a number yet, such as a lone minus, is left as it is.
    if (input.validity.badInput) return;
    const { [end]: _, ...rest } = numbers;
    const number = input.valueAsNumber;
    edits.setNumbers(leaf.id, Number.isNaN(number) ? rest : { ...rest, [end]: number });
  };
  const low = numbers.above === undefined ? "min" : "above";
  const high = numbers.below === undefined ? "max" : "below";
  return (
    <>
      {([low, high] as const).map((end) => (
        <span key={end}>
          <span class="al-quiet">{words.ends[end]} </span>
          <input
            class="al-editor-end"
            type="number"
            step="any"
            aria-label={end === low ? words.lowest(name) : words.highest(name)}
            tabIndex={active ? 0 : -1}
            data-control
            data-undo
            value={numbers[end] ?? ""}
            onInput={(event) => setEnd(event.currentTarget, end)}
          />
        </span>
      ))}
    </>
  );
}

/** Any, all, or a number of them; hidden for a single answer. */
function HowMany({ leaf, active }: { leaf: LeafNode; active: boolean }) {
  const { edits } = useEditor();
  const listed = leaf.datapoints?.length;
  const tabIndex = active ? 0 : -1;
  if (leaf.quantifier === "any" && listed !== undefined && listed < 2) return null;
  const set = (quantifier: Quantifier) => edits.setQuantifier(leaf.id, quantifier);
  return (
    <>
      <select
        class="al-editor-quantifier"
        aria-label={words.quantifier}
        tabIndex={tabIndex}
        data-control
        value={leaf.quantifier}
        onChange={(event) => set(event.currentTarget.value as Quantifier)}
      >
        {(["any", "all", "at_least"] as const).map((each) => (
          <option key={each} value={each} disabled={each === "all" && listed === undefined}>
            {words.quantifiers[each]}
          </option>
        ))}
      </select>
      {leaf.quantifier === "at_least" && (
        <>
          <input
            class="al-editor-count"
            type="number"
            min={1}
            step={1}
            aria-label={words.howMany}
            tabIndex={tabIndex}
            data-control
            data-undo
            value={leaf.count}
            onInput={(event) => {
              const count = event.currentTarget.valueAsNumber;
              // An empty field while typing is not a number.
              if (!Number.isNaN(count)) edits.setQuantifier(leaf.id, "at_least", count);
            }}
          />
          <span class="al-quiet">{words.ofThem}</span>
        </>
      )}
    </>
  );
}

function Answers({ leaf, active, onMore }: { leaf: LeafNode; active: boolean; onMore(): void }) {
  const { state, edits } = useEditor();
  const { datapoints } = leaf;
  const question = state.lookup.value?.(leaf.question);
  const tabIndex = active ? 0 : -1;
  if (datapoints === null) return <span class="al-quiet">{words.anyAnswer}</span>;
  const shown = datapoints.length > MOST_CHIPS + 1 ? datapoints.slice(0, MOST_CHIPS) : datapoints;
  const hidden = datapoints.length - shown.length;
  const name = questionName(leaf, question);
  const label = hidden > 0 ? words.moreAnswersOf(hidden, name) : words.addAnswers(name);
  return (
    <>
      {shown.map((code) => {
        const name = answerName(code, question);
        return (
          <span class="al-chip al-editor-chip" key={code} title={`${name} (${code})`}>
            <span class="al-clip" dir="auto">
              {name}
            </span>
            <IconButton
              icon="close"
              label={words.removeAnswer(name)}
              tabIndex={tabIndex}
              data-control
              onClick={() => {
                const rest = datapoints.filter((each) => each !== code);
                edits.setAnswers(leaf.id, rest);
                // The chip's button is removed; the focus moves to another one.
                state.focus(leaf.id);
              }}
            />
          </span>
        );
      })}
      <Control active={active} class="al-editor-more" label={label} title={label} onPress={onMore}>
        {hidden > 0 ? words.moreAnswers(hidden) : <Icon name="plus" />}
      </Control>
    </>
  );
}
