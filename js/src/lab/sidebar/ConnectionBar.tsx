/** The survey of the sidebar, its status, and the button that changes it. */
import { Icon, IconButton } from "../../ui/icons";
import { usePopover } from "../../ui/Popover";
import { strings } from "../strings";
import { ConnectionChooser } from "./ConnectionChooser";
import { useSidebar } from "./context";
import { Dot } from "./StatusDot";
import { type Checked, isCheck } from "./state";
import { words } from "./strings";

export function ConnectionBar() {
  const { state } = useSidebar();
  const { isOpen, opener, panel } = usePopover();
  const connection = state.connection.value;
  const checked = state.checked.value;
  const listed = state.listed.value;
  if (listed.is === "failed") return null;
  return (
    <div class="al-sidebar-connection">
      <div class="al-bar">
        <button
          type="button"
          class="al-button al-sidebar-survey"
          aria-label={words.survey(connection?.title ?? strings.noSurvey)}
          title={connection?.location}
          disabled={listed.is === "loading"}
          {...opener}
        >
          <Dot checked={checked} />
          <span dir="auto">
            {connection?.title ?? (listed.is === "loading" ? words.loading : strings.noSurvey)}
          </span>
          <span class="al-spacer" />
          <Icon name="down" />
        </button>
        <IconButton
          icon="refresh"
          label={words.checkNow}
          disabled={!connection}
          onClick={() => void state.check()}
        />
      </div>
      {connection && (
        <div class="al-sidebar-status" role="status">
          <span class={toneOf(checked)}>{wordOf(checked)}</span>
          {isCheck(checked) && checked.status === "ready" && (
            <span class="al-quiet">{words.holds(checked)}</span>
          )}
          {connection.credential.needed && connection.credential.found && (
            <span class="al-quiet">{words.credential(connection)}</span>
          )}
          {isCheck(checked) && checked.status !== "ready" && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: longer content scrolls with keys
            <p tabIndex={0}>{checked.message}</p>
          )}
        </div>
      )}
      {isOpen && <ConnectionChooser {...panel} />}
    </div>
  );
}

function wordOf(checked: Checked | null): string {
  if (checked === null) return words.unchecked;
  return checked === "checking" ? words.checking : words.statuses[checked.status];
}

function toneOf(checked: Checked | null): string {
  if (!isCheck(checked)) return "al-quiet";
  if (checked.status === "ready") return "";
  return checked.status === "no credential" ? "al-warning" : "al-error";
}
