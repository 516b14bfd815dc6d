/** Labelled form controls: the label on the left, the control on the right. */
import type { ComponentChildren } from "preact";

interface FieldProps {
  label: string;
  title?: string | undefined;
  children: ComponentChildren;
}

export function Field({ label, title, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label class="al-field" title={title}>
      <span>{label}</span>
      {children}
    </label>
  );
}

type Value = string | number | null;

/** The values of a list, each with its label. */
export type Options<T> = readonly (readonly [value: T, label: string])[];

interface SelectProps<T extends Value> {
  label: string;
  value: T;
  options: Options<T>;
  onChange(value: T): void;
  title?: string;
}

/** A list in a field. */
export function Select<T extends Value>({ label, title, ...list }: SelectProps<T>) {
  return (
    <Field label={label} title={title}>
      <BareSelect {...list} />
    </Field>
  );
}

/** A list alone; `label` is its accessible name, which a `Field` provides otherwise. */
export function BareSelect<T extends Value>({
  label,
  value,
  options,
  onChange,
  class: extra = "",
}: Omit<SelectProps<T>, "label" | "title"> & { label?: string; class?: string }) {
  return (
    <select
      class={`al-input ${extra}`}
      aria-label={label}
      value={String(value)}
      onChange={({ currentTarget }) => {
        const chosen = options.find(([each]) => String(each) === currentTarget.value);
        if (chosen) onChange(chosen[0]);
      }}
    >
      {options.map(([each, words]) => (
        <option key={each} value={String(each)}>
          {words}
        </option>
      ))}
    </select>
  );
}

interface NumberFieldProps {
  label: string;
  title?: string;
  value: number;
  onChange(value: number): void;
}

/** A count from 0; other text changes nothing. */
export function NumberField({ label, title, value, onChange }: NumberFieldProps) {
  return (
    <Field label={label} title={title}>
      <input
        class="al-input al-number"
        type="number"
        min="0"
        step="1"
        value={value}
        onInput={({ currentTarget: { value: typed } }) => {
          if (/^\d{1,9}$/.test(typed)) onChange(Number(typed));
        }}
        // What is typed after a click replaces the number, as after a Tab.
        onClick={({ currentTarget }) => currentTarget.select()}
      />
    </Field>
  );
}

interface CheckboxProps {
  label: string;
  title?: string;
  checked: boolean;
  onChange(checked: boolean): void;
}

export function Checkbox({ label, title, checked, onChange }: CheckboxProps) {
  return (
    <Field label={label} title={title}>
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </Field>
  );
}

interface ChoiceProps {
  checked: boolean;
  onChange(): void;
  children: ComponentChildren;
  title?: string;
  /** The accessible name, where the text is shortened. */
  label?: string;
  /** The group of a radio button; without one it is a checkbox. */
  group?: string;
  disabled?: boolean;
}

/** A checkbox or radio button, followed by its label. */
export function Choice({
  checked,
  onChange,
  children,
  title,
  label,
  group,
  disabled,
}: ChoiceProps) {
  return (
    <label class="al-choice" title={title}>
      <input
        type={group ? "radio" : "checkbox"}
        name={group}
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={onChange}
      />
      {children}
    </label>
  );
}
