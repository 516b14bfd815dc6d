/** One row of the treegrid: the condition or group, its sizes and its warnings. */
import { Icon, IconButton } from "../ui/icons";
import { firstWords } from "../ui/text";
import { Control } from "./Control";
import { useEditor } from "./context";
import type { EditorNode, GroupNode } from "./document";
import { useDropMark } from "./dragging";
import { LeafControls } from "./LeafControls";
import { describe, nameOf } from "./labels";
import { NodeSizes } from "./NodeSizes";
import type { Row } from "./state";
import { words } from "./strings";
import type { Lookup } from "./validation";
import { NodeWarnings } from "./Warnings";

export interface RowProps {
  row: Row;
  /** Whether it has the focus, or would get it. */
  active: boolean;
  selected: boolean;
  faulty: boolean;
}

export function RowView({ row, active, selected, faulty }: RowProps) {
  const { state } = useEditor();
  const { node } = row;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a treegrid has no element of its own
    <div
      role="row"
      class={`al-editor-row al-editor-${node.kind}`}
      data-node={node.id}
      data-active={active}
      data-faulty={faulty}
      data-silent={row.silent}
      data-drop={useDropMark(node.id)}
      style={{ "--depth": row.level - 1 }}
      tabIndex={active ? 0 : -1}
      aria-label={rowName(row, state.lookup.value)}
      aria-selected={selected}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={node.kind === "group" ? row.open : undefined}
      onContextMenu={(event) => {
        if ((event.target as Element).closest("input")) return;
        event.preventDefault();
        // JupyterLab would open the menu of the cell over it.
        event.stopPropagation();
        state.activate(node.id);
        state.overlay.value = { kind: "menu", id: node.id };
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: part of a treegrid */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus */}
      <div role="gridcell" class="al-editor-cell al-editor-who">
        <div class="al-editor-line">
          {row.parent !== null && (
            <span class="al-editor-grip" draggable aria-hidden="true" title={words.drag}>
              <Icon name="grip" />
            </span>
          )}
          <Twist row={row} />
          {row.parent !== null && (
            <span class="al-editor-join">{row.join ? words[row.join] : words.where}</span>
          )}
          {node.negated && <NotButton node={node} active={active} />}
          {/* What can be done follows what is there, and wraps with it. */}
          <span class="al-editor-condition">
            {node.kind === "group" ? (
              <GroupControls group={node} row={row} active={active} />
            ) : (
              <LeafControls leaf={node} active={active} />
            )}
            <RowActions row={row} active={active} />
          </span>
        </div>
        {!row.silent && <NodeWarnings node={node} />}
      </div>
      <NodeSizes node={node} silent={row.silent} />
    </div>
  );
}

/** Letters of a row's content that are read out; all of it is in its controls. */
const MOST_READ = 200;

/** The accessible name of a row: position, content, and whether it counts. */
function rowName({ join, node, parent, silent }: Row, lookup: Lookup | undefined): string {
  const name = firstWords(nameOf(node, parent === null, lookup), MOST_READ);
  return `${join} ${name}${silent ? ` (${words.notCounted})` : ""}`.trim();
}

/** The button that collapses a group; an empty box of the same width for a condition. */
function Twist({ row }: { row: Row }) {
  const { state } = useEditor();
  if (row.node.kind === "leaf") return <span class="al-twist" />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a mouse target; the row has the state and the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys do the same from the row
    <span
      class="al-twist"
      data-open={row.open}
      title={row.open ? words.collapse : words.expand}
      onClick={() => state.fold(row.node.id, !row.open)}
    >
      <Icon name="right" />
    </span>
  );
}

interface GroupProps {
  group: GroupNode;
  row: Row;
  active: boolean;
}

function GroupControls({ group, row, active }: GroupProps) {
  const { state, edits } = useEditor();
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a box */}
      <span class="al-segmented al-editor-operator" role="group" aria-label={words.operatorOf}>
        {(["and", "or"] as const).map((operator) => (
          <Control
            key={operator}
            active={active}
            pressed={group.operator === operator}
            title={words.joins[operator]}
            onPress={() => edits.setOperator(group.id, operator)}
          >
            {words.switches[operator]}
          </Control>
        ))}
      </span>
      <span class="al-editor-summary al-quiet al-clip">
        {row.open || group.children.length === 0
          ? groupSummary(group, row.level)
          : describe({ ...group, negated: false }, state.lookup.value)}
      </span>
    </>
  );
}

function groupSummary({ children }: GroupNode, level: number): string {
  return level === 1 && children.length === 0 ? words.all : words.group(children.length);
}

/** Before a negated condition; for other conditions it is among the actions. */
function NotButton({ node, active }: { node: EditorNode; active: boolean }) {
  const { state, edits } = useEditor();
  return (
    <Control
      active={active}
      class={node.negated ? "al-editor-negated" : "al-editor-action"}
      pressed={node.negated}
      title={words.notHint}
      onPress={() => {
        edits.toggleNot(node.id);
        // The button moves to another position; the focus stays in the row.
        state.focus(node.id);
      }}
    >
      {words.not}
    </Control>
  );
}

/** Visible while the pointer is over the row or the row has the focus. */
function RowActions({ row, active }: { row: Row; active: boolean }) {
  const { state, edits } = useEditor();
  const { node } = row;
  const tabIndex = active ? 0 : -1;
  const open = (kind: "add" | "menu") => {
    state.activate(node.id);
    state.overlay.value = { kind, id: node.id };
  };
  return (
    <span class="al-editor-actions">
      {!node.negated && <NotButton node={node} active={active} />}
      {row.parent !== null && (
        <Control
          active={active}
          class="al-editor-action"
          pressed={node.muted}
          title={words.muteHint}
          onPress={() => edits.toggleMuted(node.id)}
        >
          {words.mute}
        </Control>
      )}
      {node.kind === "group" && row.level > 1 && (
        <IconButton
          icon="plus"
          label={words.addConditionIn}
          tabIndex={tabIndex}
          data-control
          data-opens={`add ${node.id}`}
          onClick={() => open("add")}
        />
      )}
      <IconButton
        icon="more"
        label={words.menuOf(state.nameOf(node.id))}
        title={words.menu}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        data-control
        data-opens={`menu ${node.id}`}
        onClick={() => open("menu")}
      />
    </span>
  );
}
