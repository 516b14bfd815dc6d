/**
 * The form that adds a remote service. The page cannot send an address to the server, which would
 * let a page make the server contact any host. So the form writes the command that the user runs in
 * a terminal.
 */
import { useSignal } from "@preact/signals";
import { usePageId } from "../../core/ids";
import { CopyButton } from "../../ui/CopyButton";
import { Icon } from "../../ui/icons";
import { addCommand, isAddress, isName } from "./command";
import { useSidebar } from "./context";
import { words } from "./strings";

export function AddService() {
  const { state } = useSidebar();
  const open = useSignal(false);
  const name = useSignal("");
  const address = useSignal("");
  const failed = useSignal("");
  const id = usePageId("deployment");
  const command = addCommand(name.value, address.value);
  const wrong = {
    name: name.value !== "" && !isName(name.value),
    address: address.value !== "" && !isAddress(address.value),
  };
  return (
    <div class="al-sidebar-add">
      <button
        type="button"
        class="al-menu-item"
        aria-expanded={open.value}
        aria-controls={id}
        onClick={() => {
          open.value = !open.peek();
        }}
      >
        <Icon name="plus" />
        {words.addService}
      </button>
      <div id={id} class="al-sidebar-form" hidden={!open.value}>
        <p class="al-quiet">{words.addHow}</p>
        <Field label={words.name} hint={words.nameHint} value={name} wrong={wrong.name}>
          {words.nameWrong}
        </Field>
        <Field label={words.address} hint={words.addressHint} value={address} wrong={wrong.address}>
          {words.addressWrong}
        </Field>
        <div class="al-sidebar-command">
          <code class="al-code">{command}</code>
          <CopyButton
            of={command}
            text={() => command}
            label={words.copyCommand}
            disabled={!isName(name.value) || !isAddress(address.value)}
            onFailed={(why) => {
              failed.value = why;
            }}
          />
        </div>
        {failed.value && <p class="al-error">{failed.value}</p>}
        <button type="button" class="al-button" onClick={() => void state.load()}>
          {words.lookAgain}
        </button>
      </div>
    </div>
  );
}

interface FieldProps {
  label: string;
  hint: string;
  value: { value: string };
  wrong: boolean;
  /** The hint appears only for invalid input. */
  children: string;
}

function Field({ label, hint, value, wrong, children }: FieldProps) {
  const id = usePageId("deployment-field");
  return (
    <label class="al-sidebar-field">
      <span>{label}</span>
      <input
        class="al-input"
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={hint}
        value={value.value}
        aria-invalid={wrong}
        aria-describedby={wrong ? id : undefined}
        onInput={(event) => {
          value.value = event.currentTarget.value.trim();
        }}
      />
      {wrong && (
        <span id={id} class="al-warning">
          {children}
        </span>
      )}
    </label>
  );
}
