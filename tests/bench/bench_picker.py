"""How long the question picker takes to open, and to answer a key, with 50,000 answers.

The widget as it is shipped, in a real Chromium; only the kernel is played, by answers that lie
ready.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page, sync_playwright

from audiencelab.widgets.bundle import answer_modules, loader, module_of
from audiencelab.widgets.rpc_types import ModuleArgs, PageRequest
from tests.browser.conftest import CHROMIUM_OPTIONS, find_chromium

QUESTIONS, ANSWERS = 2_000, 25
CATEGORIES, ROOTS = 120, 12
PART = 250
TYPED = ("s", "so", "soc", "social", "social b", "social brand", "a", "q19", "price trust app")
RUNS = 15

WORDS = ("social", "media", "brand", "use", "app", "price", "trust", "watch", "food", "bank")

# A model as Jupyter hands it out, and a channel whose answers lie ready.
SET_UP = """async ([loader, module, modules, packed, parts]) => {
  const handlers = new Set();
  const traits = { _channel: "c", _front_end: module, mode: "datapoints", selection: [] };
  const code = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const answer = ({ id, op, args }) => {
    const buffers = op === "catalogue" ? [new TextEncoder().encode(parts[args.start])] : [];
    if (op === "front_end") buffers.push(code);
    const data = op === "front_end" ? { modules } : null;
    for (const hear of handlers) hear({ id, ok: true, data }, buffers);
  };
  const channel = {
    comm_live: true,
    on: (event, handler) => event === "msg:custom" && handlers.add(handler),
    off: (event, handler) => handlers.delete(handler),
    send: (content) => setTimeout(answer, 0, content),
  };
  const model = {
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; },
    save_changes: () => {}, on: () => {}, off: () => {},
    widget_manager: { get_model: async () => channel },
  };
  const url = URL.createObjectURL(new Blob([loader], { type: "text/javascript" }));
  const widget = (await import(url)).default;
  // The page has the module before the time is taken.
  const end = widget.render({ model, el: document.createElement("div") });
  const shelf = globalThis[Symbol.for("audiencelab")];
  while (!shelf.modules.has(module)) await new Promise((done) => setTimeout(done));
  await shelf.modules.get(module);
  end();
  window.open = () => widget.render({ model, el: document.body });
}"""

PAINTED = """const painted = () => new Promise((resolve) => {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(0);
  });
});"""

OPEN = f"""async () => {{
  {PAINTED}
  const start = performance.now();
  window.open();
  while (!document.querySelector("[role=treeitem]")) await new Promise((r) => setTimeout(r));
  return await painted() - start;
}}"""

# The work alone: what follows a key until styles and layout stand. Waiting for the screen's
# next turn would add up to 16 ms by chance.
TYPE = """async (text) => {
  const box = document.querySelector("input");
  box.value = text;
  const start = performance.now();
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  document.querySelector("[role=tree]").getBoundingClientRect();
  return performance.now() - start;
}"""


def catalogue() -> list[dict[str, Any]]:
    """Questions of invented names, the same each time."""
    dice = random.Random(6)

    def words(count: int) -> str:
        return " ".join(dice.choice(WORDS) for _ in range(count))

    return [
        {
            "code": f"q{number}",
            "canonical": f"core.q{number}",
            "name": words(5),
            "description": words(12),
            "accessible": True,
            "numeric": False,
            "categories": [ROOTS + number % (CATEGORIES - ROOTS)],
            "datasets": ["lives"],
            "datapoints": {
                "codes": [f"q{number}_{answer}" for answer in range(ANSWERS)],
                "names": [words(3) for _ in range(ANSWERS)],
            },
            "suffixes": {"codes": [], "names": []},
        }
        for number in range(QUESTIONS)
    ]


def parts_of(questions: list[dict[str, Any]]) -> dict[int, str]:
    """The catalogue as it travels, by the question at which each part begins."""
    roots = [{"id": str(at), "name": f"Theme {at}", "parent": -1} for at in range(ROOTS)]
    below = [
        {"id": str(at), "name": f"Topic {at}", "parent": at % ROOTS}
        for at in range(ROOTS, CATEGORIES)
    ]
    head = {"categories": roots + below, "datasets": [{"code": "lives", "name": "Lives"}]}

    def parts() -> Iterator[tuple[int, str]]:
        for start in range(0, QUESTIONS, PART):
            following = start + PART if start + PART < QUESTIONS else None
            listed = {"questions": questions[start : start + PART], "total": QUESTIONS}
            yield start, json.dumps({**(head if start == 0 else {}), **listed, "next": following})

    return dict(parts())


def _open(page: Page, parts: dict[int, str]) -> float:
    module = module_of("picker")
    asked = PageRequest(0, "front_end", ModuleArgs(module))
    sent = answer_modules(asked)
    packed = base64.b64encode(sent.buffers[0]).decode()
    page.goto("about:blank")
    page.evaluate(SET_UP, [loader(), module, sent.data.modules, packed, parts])
    return page.evaluate(OPEN)


def _middle(times: list[float]) -> str:
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2]:6.1f} ms, at worst {ordered[-1]:6.1f} ms"


def main() -> None:
    questions = catalogue()
    parts = parts_of(questions)
    labels = [name for question in questions for name in question["datapoints"]["names"]]
    size = sum(map(len, parts.values()))
    print(f"{QUESTIONS:,} questions, {len(labels):,} answers, {size / 1e6:.1f} MB; {RUNS} runs")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=CHROMIUM_OPTIONS, headless=True
        )
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        opened = [_open(page, parts) for _ in range(RUNS)]
        print(f"open, from the first part of data to paint  {_middle(opened)}")
        for text in TYPED:
            typed: list[float] = []
            for _ in range(RUNS):
                page.evaluate(TYPE, text[:-1])
                typed.append(page.evaluate(TYPE, text))
            print(f"picker, key to laid out, {text!r:18} {_middle(typed)}")
        browser.close()


if __name__ == "__main__":
    main()
