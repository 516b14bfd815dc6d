/** Whether a survey answers, as a colour; the words beside it say the same. */
import { type Checked, isCheck } from "./state";

export function Dot({ checked }: { checked: Checked | null }) {
  const status = isCheck(checked) ? checked.status : (checked ?? "unchecked");
  return <span class="al-sidebar-dot" data-status={status} aria-hidden="true" />;
}
