/** In the place of what has yet to come from the kernel. */
import { useHost } from "./host";
import { strings } from "./strings";

/** Says what comes; of a kernel that is gone, what to do. */
export function Coming({ children }: { children: string }) {
  const { status } = useHost().requests;
  const isGone = status.value === "gone";
  return (
    <div class={`al-empty ${isGone ? "al-warning" : ""}`} role="status">
      {isGone ? strings.gone : children}
    </div>
  );
}
