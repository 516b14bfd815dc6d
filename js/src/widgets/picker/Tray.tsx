/** The tray: what is picked, one chip a question, with its suffix choice and a way to remove it. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon, IconButton } from "../../shared/icons";
import { Popover } from "../../shared/Popover";
import type { Catalogue, QuestionRecord } from "./catalogue";
import {
  type Picked,
  type PickerMode,
  type Selection,
  toggleSuffix,
  totals,
  without,
} from "./selection";
import { strings } from "./strings";

interface TrayProps {
  catalogue: Catalogue;
  selection: Selection;
  mode: PickerMode;
  onSelect(next: Selection): void;
}

export function Tray({ catalogue, selection, mode, onSelect }: TrayProps) {
  if (selection.length === 0) {
    const hint = mode === "question" ? strings.noneQuestions : strings.nonePicked;
    return <div class="al-picker-tray al-quiet">{hint}</div>;
  }
  const { questions, datapoints } = totals(selection, catalogue);
  return (
    <div class="al-picker-tray">
      <div class="al-bar">
        <span class="al-quiet">{strings.picked(questions, datapoints)}</span>
        <button type="button" class="al-link" onClick={() => onSelect([])}>
          {strings.clear}
        </button>
      </div>
      <ul class="al-picker-chips">
        {selection.map((entry) => (
          <Chip
            key={entry.question}
            entry={entry}
            question={catalogue.question(entry.question)}
            onRemove={() => onSelect(without(selection, entry))}
            onSuffix={(suffix, order) => onSelect(toggleSuffix(selection, entry, suffix, order))}
          />
        ))}
      </ul>
    </div>
  );
}

interface ChipProps {
  entry: Picked;
  question: QuestionRecord | undefined;
  onRemove(): void;
  onSuffix(suffix: string, order: string[]): void;
}

function Chip({ entry, question, onRemove, onSuffix }: ChipProps) {
  const name = question?.name ?? entry.question;
  return (
    <li class="al-chip">
      <span class="al-clip" title={fullText(entry, question)}>
        <span class="al-picker-chip-name">{name}</span>{" "}
        <span class="al-quiet">{answersText(entry, question)}</span>
      </span>
      {question && question.suffixes.codes.length > 0 && (
        <SuffixButton entry={entry} question={question} onSuffix={onSuffix} />
      )}
      <IconButton icon="close" label={strings.remove(name)} onClick={onRemove} />
    </li>
  );
}

function SuffixButton({
  entry,
  question,
  onSuffix,
}: Omit<ChipProps, "onRemove"> & { question: QuestionRecord }) {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="al-picker-suffix-button"
        aria-haspopup="dialog"
        aria-expanded={open.value}
        aria-label={`${strings.suffixesOf(question.name)}: ${suffixText(entry, question)}`}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <span class="al-clip">{suffixText(entry, question)}</span>
        <Icon name="down" />
      </button>
      {open.value && (
        <Popover
          anchor={button}
          label={strings.suffixesOf(question.name)}
          onClose={() => {
            open.value = false;
          }}
        >
          <fieldset class="al-picker-suffixes">
            <legend class="al-quiet">{strings.suffixes}</legend>
            {question.suffixes.codes.map((code, at) => (
              <label key={code} class="al-menu-item">
                <input
                  type="checkbox"
                  checked={entry.suffixes.includes(code)}
                  onChange={() => onSuffix(code, question.suffixes.codes)}
                />
                {question.suffixes.names[at] || code}
              </label>
            ))}
          </fieldset>
        </Popover>
      )}
    </>
  );
}

function suffixText(entry: Picked, question: QuestionRecord): string {
  const named = namesOf(entry.suffixes, question.suffixes);
  return named.length ? named.join(", ") : strings.anySuffix;
}

function namesOf(codes: string[], { codes: all, names }: QuestionRecord["datapoints"]): string[] {
  return codes.map((code) => names[all.indexOf(code)] || code);
}

/** A few names, or how many: a chip is one line. */
function answersText(entry: Picked, question: QuestionRecord | undefined): string {
  if (!question) return strings.unknown;
  const all = question.datapoints.codes.length;
  const picked = entry.datapoints.length;
  if (picked === 0 || picked === all) return strings.allAnswers(all);
  if (picked > 3) return strings.someAnswers(picked, all);
  return namesOf(entry.datapoints, question.datapoints).join(", ");
}

function fullText(entry: Picked, question: QuestionRecord | undefined): string {
  if (!question) return entry.question;
  const names = namesOf(entry.datapoints, question.datapoints);
  return `${question.name} (${question.code}): ${names.join(", ") || strings.allAnswers(0)}`;
}
