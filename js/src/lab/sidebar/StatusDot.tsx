/** The status of a survey as a colour; the text beside it has the same information. */
import { type Checked, isCheck } from "./state";

export function Dot({ checked }: { checked: Checked | null }) {
  const status = isCheck(checked) ? checked.status : (checked ?? "unchecked");
  return <span class="al-sidebar-dot" data-status={status} aria-hidden="true" />;
}
