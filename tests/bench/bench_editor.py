"""How long an edit takes in an audience editor of 200 nodes: until it is drawn, and counted.

The widget as it is shipped, in a real Chromium. What is drawn is measured in the page alone; what
is counted is asked of a real `AudienceEditor` over the demo survey, so that only JupyterLab and its
way to the kernel are left out.
"""

from __future__ import annotations

import base64
import json
import queue
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import audiencelab as al
from audiencelab.widgets.bundle import loader, module_of
from tests.browser.conftest import CHROMIUM_OPTIONS, find_chromium

GROUPS, CONDITIONS = 22, 177
NODES = 1 + GROUPS + CONDITIONS
RUNS = 31
COUNTED = 9

# A model as Jupyter hands it out, and a channel that asks Python.
SET_UP = """async ([loader, traits]) => {
  const handlers = new Set();
  const channel = {
    comm_live: true,
    on: (event, handler) => event === "msg:custom" && handlers.add(handler),
    off: (event, handler) => handlers.delete(handler),
    send: async (content) => {
      const { message, buffers } = await window.ask(content);
      const bytes = buffers.map((each) => new DataView(
        Uint8Array.from(atob(each), (letter) => letter.charCodeAt(0)).buffer));
      if (message) for (const hear of handlers) hear(message, bytes);
    },
  };
  const model = {
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; },
    save_changes: () => {}, on: () => {}, off: () => {},
    widget_manager: { get_model: async () => channel },
  };
  const url = URL.createObjectURL(new Blob([loader], { type: "text/javascript" }));
  const widget = (await import(url)).default;
  widget.render({ model, el: document.body });
}"""

SETTLED = """() => {
  const tree = document.querySelector("[role=treegrid]");
  const sample = tree?.querySelector("[data-node] [role=gridcell]:nth-child(3)")?.textContent;
  return /\\d/.test(sample ?? "") && !tree.querySelector(".al-stale, .al-skeleton");
}"""

# Take the first condition away that leaves no empty group.
REMOVE_OURS = """() => document.querySelector('.al-editor-leaf:not([aria-setsize="1"])')
  .dispatchEvent(new KeyboardEvent("keydown", { key: "Delete", bubbles: true }))"""
COUNT_OURS = """() => document.querySelectorAll(".al-editor-leaf").length"""
UNDO_OURS = """() => document.querySelector("[data-node]").dispatchEvent(
  new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true }))"""

# The work alone, until styles and layout stand; waiting for the screen's next turn would add up
# to 16 ms by chance.
PAINTED = """async ([act, root]) => {
  const edit = eval(act);
  const start = performance.now();
  edit();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  document.querySelector(root).getBoundingClientRect();
  return performance.now() - start;
}"""

COUNTED_AGAIN = f"""async (act) => {{
  const settled = {SETTLED};
  const start = performance.now();
  eval(act)();
  await new Promise((resolve) => setTimeout(resolve));
  while (!settled()) await new Promise((resolve) => setTimeout(resolve));
  return performance.now() - start;
}}"""


def large_audience(client: al.Client) -> al.Audience:
    """An AND of ORs: 200 nodes, all of them different, in the demo survey's own questions."""
    leaves = [
        al.Q(question.canonical).any(datapoint.code)
        for question in client.catalogue
        for datapoint in question.datapoints
    ][:CONDITIONS]
    share = -(-len(leaves) // GROUPS)
    groups = [leaves[at : at + share] for at in range(0, len(leaves), share)]
    # The last ones give theirs up until there are as many groups as wanted.
    while len(groups) < GROUPS:
        longest = max(groups, key=len)
        groups.append([longest.pop(), longest.pop()])
    return al.Audience("Large", al.all_of(*(al.any_of(*group) for group in groups)))


class Kernel:
    """Answers the page as the widget's channel does, without a kernel around it."""

    def __init__(self, editor: al.AudienceEditor) -> None:
        self._channel = editor.channel
        self._sent: queue.SimpleQueue[tuple[dict[str, Any], list[Any]]] = queue.SimpleQueue()
        self._channel.send = self._keep

    def _keep(self, content: Any, buffers: Sequence[Any] | None = None) -> None:
        self._sent.put((content, list(buffers or ())))

    def ask(self, content: dict[str, Any]) -> dict[str, Any]:
        if content.get("cancel"):
            return {"message": None, "buffers": []}
        data = {"method": "custom", "content": content}
        self._channel.comm.handle_msg({"content": {"data": data}, "buffers": []})
        message, buffers = self._sent.get(timeout=60)
        return {
            "message": json.loads(json.dumps(message)),
            "buffers": [base64.b64encode(each).decode() for each in buffers],
        }


def open_editor(page: Page) -> None:
    client = al.connect()
    editor = al.AudienceEditor(client, value=large_audience(client))
    page.expose_function("ask", Kernel(editor).ask)
    page.goto("about:blank")
    traits = {
        "_channel": "c",
        "_front_end": module_of("editor"),
        "document": editor.document,
        "saved": None,
        "revision": 0,
    }
    page.evaluate(SET_UP, [loader(), traits])
    page.wait_for_function(SETTLED, timeout=120_000)
    assert page.locator("[data-node]").count() == NODES


def painted(page: Page, act: str, root: str, state: str) -> list[float]:
    """Milliseconds of each edit; each must be seen to have happened."""
    times: list[float] = []
    for _ in range(RUNS):
        before = page.evaluate(state)
        times.append(page.evaluate(PAINTED, [act, root]))
        assert page.evaluate(state) != before, "the edit was not drawn"
    return times


def _middle(times: list[float]) -> str:
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2]:7.1f} ms, at worst {ordered[-1]:7.1f} ms"


def main() -> None:
    print(f"{NODES} nodes: {GROUPS} groups, {CONDITIONS} conditions; {RUNS} runs")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=CHROMIUM_OPTIONS, headless=True
        )
        _measure(browser)
        browser.close()


def _measure(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    open_editor(page)
    times = painted(page, REMOVE_OURS, "[role=treegrid]", COUNT_OURS)
    print(f"audience editor, edit to laid out tree     {_middle(times)}")
    page.wait_for_function(SETTLED)
    counted = [page.evaluate(COUNTED_AGAIN, REMOVE_OURS) for _ in range(COUNTED)]
    print(f"audience editor, edit to new numbers       {_middle(counted)}")
    undone = [page.evaluate(COUNTED_AGAIN, UNDO_OURS) for _ in range(COUNTED)]
    print(f"audience editor, undo to known numbers     {_middle(undone)}")


if __name__ == "__main__":
    main()
