// @vitest-environment node
import { describe, expect, it } from "vitest";
import { createUndoStack, GESTURE_PAUSE, MOST_STEPS } from "../../src/core/undo";

describe("an undo stack", () => {
  it("goes back and forth, and labels the steps", () => {
    const steps = createUndoStack("a");
    expect([steps.undo(), steps.undoable.value, steps.redoable.value]).toEqual([null, null, null]);
    steps.record("b", { label: "one" });
    steps.record("c", { label: "two" });
    expect(steps.undoable.value).toBe("two");
    expect(steps.undo()).toEqual({ value: "b", label: "two" });
    expect([steps.undoable.value, steps.redoable.value]).toEqual(["one", "two"]);
    expect(steps.undo()).toEqual({ value: "a", label: "one" });
    expect(steps.undo()).toBeNull();
    expect(steps.redo()).toEqual({ value: "b", label: "one" });
    expect(steps.redo()).toEqual({ value: "c", label: "two" });
    expect(steps.redo()).toBeNull();
    expect(steps.now).toBe("c");
  });

  it("does not record an equal value", () => {
    const steps = createUndoStack({ codes: ["a"] });
    expect(steps.record({ codes: ["a"] })).toBe(false);
    expect(steps.undoable.value).toBeNull();
  });

  it("drops undone steps after a new one", () => {
    const steps = createUndoStack(1);
    steps.record(2);
    steps.undo();
    steps.record(3);
    expect(steps.redoable.value).toBeNull();
  });

  it("merges a gesture into one step, until a pause", () => {
    const steps = createUndoStack("");
    const step = { label: "rename", gesture: "name" };
    steps.record("Y", { ...step, time: 0 });
    steps.record("Yo", { ...step, time: 400 });
    steps.record("You", { ...step, time: 401 + GESTURE_PAUSE });
    expect(steps.undo()?.value).toBe("Yo");
    expect(steps.undo()?.value).toBe("");
  });

  it("drops a gesture that ends where it began", () => {
    const steps = createUndoStack("");
    const step = { gesture: "name", time: 0 };
    steps.record("Y", step);
    steps.record("", step);
    expect([steps.now, steps.undo()]).toEqual(["", null]);
  });

  it("does not merge into a step that was redone", () => {
    const steps = createUndoStack("");
    const step = { gesture: "name", time: 0 };
    steps.record("Y", step);
    steps.undo();
    steps.redo();
    steps.record("Yo", step);
    expect(steps.undo()?.value).toBe("Y");
  });

  it("keeps the newest steps", () => {
    const steps = createUndoStack(0);
    for (let i = 1; i <= MOST_STEPS + 50; i++) steps.record(i);
    let undone = 0;
    while (steps.undo()) undone++;
    expect([undone, steps.now]).toEqual([MOST_STEPS, 50]);
  });

  it("amends every value without a step", () => {
    const steps = createUndoStack("a");
    steps.record("b");
    steps.record("c");
    steps.undo();
    steps.amend((value) => value.toUpperCase());
    expect([steps.now, steps.redo()?.value]).toEqual(["B", "C"]);
    steps.undo();
    expect(steps.undo()?.value).toBe("A");
  });
});
