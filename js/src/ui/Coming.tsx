/** A placeholder for content that is loaded from the kernel. */
import { useHost } from "./host";
import { strings } from "./strings";

/** Names what is loading; for a kernel that is gone, the remedy. */
export function Coming({ children }: { children: string }) {
  const { status } = useHost().requests;
  const isGone = status.value === "gone";
  return (
    <div class={`al-empty ${isGone ? "al-warning" : ""}`} role="status">
      {isGone ? `${strings.gone} ${strings.runTheCell}` : children}
    </div>
  );
}
