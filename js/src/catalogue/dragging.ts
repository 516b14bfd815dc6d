/**
 * Questions and answers dragged out of a list: onto the rows, columns or base of a table, or into
 * an audience. A drag carries a `Selection`, and its label as plain text. Buttons do the same for
 * the keyboard.
 */
import type { Selection } from "./selection";

/** A drag target can read only the type until the drop. */
const TYPE = "application/x-audiencelab-questions+json";

/** Starts a drag of these questions, with a card that names them under the pointer. */
export function dragQuestions(event: DragEvent, selection: Selection, label: string): void {
  const { dataTransfer, target } = event;
  if (!dataTransfer || !(target instanceof Element)) return;
  dataTransfer.effectAllowed = "copyMove";
  dataTransfer.setData(TYPE, JSON.stringify(selection));
  dataTransfer.setData("text/plain", label);
  const card = target.ownerDocument.createElement("div");
  card.className = "al-drag-card";
  card.textContent = label;
  (target.closest(".audiencelab") ?? target).append(card);
  dataTransfer.setDragImage(card, 8, 12);
  // The browser copies its drag image of the card right after this event.
  setTimeout(() => card.remove());
}

/** Whether questions are dragged over a target; it accepts them by calling `preventDefault`. */
export function hasQuestions({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes(TYPE) ?? false;
}

/** The questions that were dropped; null for anything else. */
export function droppedQuestions({ dataTransfer }: DragEvent): Selection | null {
  try {
    const dropped: unknown = JSON.parse(dataTransfer?.getData(TYPE) ?? "");
    return Array.isArray(dropped) && dropped.length > 0 && dropped.every(isPicked) ? dropped : null;
  } catch {
    return null;
  }
}

/** The data may come from another page. */
function isPicked(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { question, datapoints, suffixes } = value as Record<string, unknown>;
  return typeof question === "string" && [datapoints, suffixes].every(isCodes);
}

function isCodes(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
