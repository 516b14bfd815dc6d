/**
 * The rows or the columns of the query: groups and single items, with buttons to move and remove
 * them.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Block, Blocks } from "../../protocol";
import { IconButton } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import type { Axis } from "./protocol";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

interface SidePanelProps extends PanelProps {
  axis: Axis;
  /** Opens the panel that adds items. */
  onAdd(): void;
}

export function SidePanel({ editor, axis, anchor, onAdd, onClose }: SidePanelProps) {
  const listed = useSignal<Blocks | null>(null);
  const summary = editor.summary.value;
  useEffect(() => {
    let latest = true;
    editor.blocks(axis).then((found) => {
      if (latest) listed.value = found;
    }, editor.fail);
    return () => {
      latest = false;
    };
  }, [editor, axis, summary]);
  const blocks = listed.value?.blocks ?? [];
  const more = listed.value?.more ?? 0;
  const remove = (block: Block) => editor.edit({ do: "remove", axis, places: placesOf(block) });
  const swap = (first: Block | undefined, second: Block | undefined) =>
    first && second && editor.edit({ do: "move", axis, places: placesOf(second), to: first.start });
  return (
    <Popover anchor={anchor} onClose={onClose} label={words.inAxis(axis)}>
      <div class="al-query-panel al-query-narrow">
        <div class="al-bar al-query-head">
          <strong>{words[axis]}</strong>
          <span class="al-spacer" />
          <button type="button" class="al-button" onClick={onAdd}>
            {words.add[axis]}
          </button>
        </div>
        {listed.value === null && <div class="al-skeleton" />}
        {listed.value && blocks.length === 0 && <div class="al-quiet">{words.emptyAxis(axis)}</div>}
        <ul class="al-query-list al-query-blocks">
          {blocks.map((block, at) => (
            <li key={block.start} class="al-query-block">
              <span class="al-clip" title={block.name}>
                {block.name}
              </span>
              <span class="al-quiet">
                {block.is_group && words.items(axis, block.count)}
                {block.is_net && words.netMark}
              </span>
              <span class="al-spacer" />
              <IconButton
                icon="up"
                label={words.up(block.name)}
                aria-disabled={at === 0}
                onClick={() => swap(blocks[at - 1], block)}
              />
              <IconButton
                icon="down"
                label={words.down(block.name)}
                aria-disabled={at === blocks.length - 1}
                onClick={() => swap(block, blocks[at + 1])}
              />
              <IconButton
                icon="close"
                label={words.remove(block.name)}
                onClick={() => remove(block)}
              />
            </li>
          ))}
        </ul>
        {more > 0 && <div class="al-quiet">{words.moreBlocks(more)}</div>}
        {axis === "rows" && <Means editor={editor} />}
        {editor.problem.value && <div class="al-error">{editor.problem.value}</div>}
        {blocks.length > 1 && (
          <div class="al-bar al-query-end">
            <span class="al-spacer" />
            <button
              type="button"
              class="al-button"
              onClick={() =>
                editor.edit({ do: "remove", axis, places: every(summary?.[axis].count) })
              }
            >
              {words.removeAll}
            </button>
          </div>
        )}
      </div>
    </Popover>
  );
}

/** The rows of means, to be removed, and the questions whose means can be added. */
function Means({ editor }: Pick<PanelProps, "editor">) {
  const { statistics = [], scored = [] } = editor.summary.value ?? {};
  return (
    <>
      <ul class="al-query-list">
        {statistics.map((name) => (
          <li key={name} class="al-query-block">
            <span class="al-clip" title={name}>
              {name}
            </span>
            <span class="al-spacer" />
            <IconButton
              icon="close"
              label={words.remove(name)}
              onClick={() => editor.edit({ do: "remove_statistic", name })}
            />
          </li>
        ))}
      </ul>
      {scored.map(({ code, name }) => (
        <button
          key={code}
          type="button"
          class="al-button"
          title={words.addMeanHint}
          onClick={() => editor.edit({ do: "mean", question: code, statistic: "mean" })}
        >
          {scored.length > 1 ? words.addMeanOf(name) : words.addMean}
        </button>
      ))}
    </>
  );
}

function placesOf({ start, count }: Block): number[] {
  return Array.from({ length: count }, (_, at) => start + at);
}

function every(count = 0): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
