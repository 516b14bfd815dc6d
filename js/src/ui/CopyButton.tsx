/** Copies text, and shows "Copied" until the text changes. */
import { useSignal } from "@preact/signals";
import { copyText } from "../core/clipboard";
import { useAttempt } from "./attempt";
import { useHost } from "./host";
import { IconButton, type IconName } from "./icons";
import { strings } from "./strings";

interface CopyButtonProps {
  /** Identifies the text: when it changes, the button no longer shows "Copied". */
  of: unknown;
  /** Loads the text on a click. */
  text: () => string | Promise<string>;
  label: string;
  icon?: IconName;
  disabled?: boolean;
  /** Receives the error message; empty at the next attempt. */
  onFailed(why: string): void;
}

export function CopyButton({
  of,
  text,
  label,
  icon = "copy",
  disabled = false,
  onFailed,
}: CopyButtonProps) {
  const { root, announce } = useHost();
  const copied = useSignal<unknown>(null);
  const done = copied.value === of;
  const attempt = useAttempt(onFailed);
  const copy = () =>
    attempt(async () => {
      const worked = await copyText(await text(), root);
      copied.value = worked ? of : null;
      if (!worked) return strings.copyFailed;
      announce(strings.copied);
      return "";
    });
  return (
    <IconButton
      data-local
      icon={done ? "check" : icon}
      label={done ? strings.copied : label}
      class={done ? "al-copied" : ""}
      disabled={disabled}
      onClick={() => void copy()}
    />
  );
}
