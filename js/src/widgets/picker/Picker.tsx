import type { WidgetHost } from "../../shared/host";

export function Picker({ host }: { host: WidgetHost }) {
  return <div class="al-empty">{host.requests.status.value}</div>;
}
