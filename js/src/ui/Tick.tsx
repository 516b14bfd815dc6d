/** The drawing of a checkbox; the row around it carries the state for screen readers. */
import { Icon } from "./icons";

export function Tick({ state }: { state: "none" | "some" | "all" }) {
  return (
    <span class="al-tick" data-state={state} aria-hidden="true">
      {state === "all" && <Icon name="check" />}
      {state === "some" && <Icon name="minus" />}
    </span>
  );
}
