"""What runs in the page: when numbers are to be seen, how long frames take, what scrolls.

One way of looking for all tables, whatever they draw with: a lattice of spots over the output, and
the element under each, through shadow roots. Where a canvas is drawn on there is no element, so
what is written on canvases is noted as it is written.
"""

from __future__ import annotations

__all__ = ["COUNT", "INSTALL", "RECORD", "RECORDED", "SHOW"]

# A number with a decimal point: names have none.
INSTALL = r"""(() => {
  const NUMBER = /^[\s+]*-?[\d,]*\.\d+/;
  const SPOTS = 8;
  const bench = { written: 0 };
  window.audiencelabBench = bench;

  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    if (NUMBER.test(text)) bench.written += 1;
    return write.call(this, text, ...rest);
  };

  const under = (x, y) => {
    let found = document.elementFromPoint(x, y);
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  };

  bench.output = (cell) =>
    document.querySelectorAll(".jp-Notebook .jp-Cell")[cell].querySelector(".jp-Cell-outputArea");

  // Where the numbers are: a lattice over the lower right of what is in sight of the output.
  bench.spots = (cell) => {
    const box = bench.output(cell).getBoundingClientRect();
    const bottom = Math.min(box.bottom, innerHeight - 30);
    const right = Math.min(box.right, innerWidth - 20);
    if (bottom - box.top < 60) return [];
    const spots = [];
    for (let i = 1; i < SPOTS; i++) {
      for (let j = 1; j < SPOTS; j++) {
        spots.push([
          box.left + (right - box.left) * (0.3 + 0.65 * (i / SPOTS)),
          box.top + (bottom - box.top) * (0.4 + 0.5 * (j / SPOTS)),
        ]);
      }
    }
    return spots;
  };

  bench.texts = (cell) =>
    bench.spots(cell).map(([x, y]) => {
      const found = under(x, y);
      if (!found || found === bench.output(cell)) return "";
      if (found.tagName === "CANVAS") return "canvas";
      const text = found.textContent ?? "";
      return text.length > 60 ? "" : text;
    });

  bench.numbers = (cell) => bench.texts(cell).filter((text) => NUMBER.test(text)).length;
  bench.isShown = (cell) => bench.written > 0 || bench.numbers(cell) > 0;
  bench.painted = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(0);
  });
})();"""

# Runs a cell and waits for the frame in which its first numbers are painted.
SHOW = """async ([cell, patience]) => {
  const bench = window.audiencelabBench;
  const survey = window.jupyterapp.shell.currentWidget.content;
  survey.activeCellIndex = cell;
  await window.jupyterapp.commands.execute("notebook:clear-cell-output");
  await new Promise(requestAnimationFrame);
  bench.written = 0;
  const start = performance.now();
  window.jupyterapp.commands.execute("notebook:run-cell");
  while (performance.now() - start < patience) {
    await new Promise(requestAnimationFrame);
    const failed = survey.model.cells.get(cell).outputs.toJSON()
      .find((output) => output.output_type === "error");
    if (failed) return { error: `${failed.ename}: ${failed.evalue}`.slice(0, 300) };
    if (bench.output(cell).textContent.includes("javascript error"))
      return { error: "its front end fails with a JavaScript error" };
    if (bench.isShown(cell)) return { ms: await bench.painted() - start };
  }
  return { error: null };
}"""

# Notes every frame until it is stopped; with `look`, how many spots show a number, too.
RECORD = """([cell, look]) => {
  const bench = window.audiencelabBench;
  const before = bench.texts(cell).join();
  const written = bench.written;
  const frames = [];
  const filled = [];
  let last = performance.now();
  let going = true;
  const next = (now) => {
    frames.push(now - last);
    last = now;
    if (look) filled.push(bench.numbers(cell));
    if (going) requestAnimationFrame(next);
  };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(next); });
  bench.stop = () => {
    going = false;
    const moved = before !== bench.texts(cell).join() || bench.written > written;
    return { frames, filled, moved };
  };
}"""

RECORDED = "() => window.audiencelabBench.stop()"

COUNT = "(cell) => window.audiencelabBench.numbers(cell)"
