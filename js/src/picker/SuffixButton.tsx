/** The suffixes with which answers of one picked question count; nothing where it has none. */

import type { QuestionRecord } from "../catalogue/model";
import type { Picked } from "../catalogue/selection";
import { strings } from "../catalogue/strings";
import { Icon } from "../ui/icons";
import { Popover, usePopover } from "../ui/Popover";

interface SuffixButtonProps {
  entry: Picked;
  question: QuestionRecord | undefined;
  onSuffix(suffix: string, order: string[]): void;
}

export function SuffixButton({ entry, question, onSuffix }: SuffixButtonProps) {
  const { isOpen, opener, panel } = usePopover();
  if (!question?.suffixes.codes.length) return null;
  const { codes, names } = question.suffixes;
  const chosen = entry.suffixes.map((code) => names[codes.indexOf(code)] || code);
  const text = chosen.join(", ") || strings.anySuffix;
  return (
    <>
      <button
        type="button"
        class="al-picker-suffix-button"
        aria-label={`${strings.suffixesOf(question.name)}: ${text}`}
        {...opener}
      >
        <span class="al-clip">{text}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <Popover label={strings.suffixesOf(question.name)} {...panel}>
          <fieldset class="al-picker-choices">
            <legend class="al-quiet">{strings.suffixes}</legend>
            {codes.map((code, at) => (
              <label key={code} class="al-menu-item">
                <input
                  type="checkbox"
                  checked={entry.suffixes.includes(code)}
                  onChange={() => onSuffix(code, codes)}
                />
                {names[at] || code}
              </label>
            ))}
          </fieldset>
        </Popover>
      )}
    </>
  );
}
