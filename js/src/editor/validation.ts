/**
 * The errors of a document, by node, as sentences, each with a fix where there is one.
 *
 * The rules are the service's, checked here so that an incomplete tree shows its errors at once and
 * is never sent. `tests/widgets/editor/documents.json` has cases that Python must judge alike.
 */

import type { QuestionRecord } from "../catalogue/model";
import {
  counting,
  countingNodes,
  type EditorDocument,
  type GroupNode,
  type LeafNode,
  minCount,
  type NumberEnds,
} from "./document";
import { words } from "./strings";
import { setDatapoints, setQuantifier, setSuffixes, toggleNot } from "./tree";

/** What the editor needs to know about a question. */
export type QuestionInfo = Pick<
  QuestionRecord,
  "code" | "name" | "accessible" | "own_numbers" | "datapoints" | "suffixes"
>;

/**
 * Finds a question by code, with or without namespace; undefined while the catalogue is loading.
 */
export type Lookup = (code: string) => QuestionInfo | undefined;

export type FaultCode =
  | "empty_group"
  | "not_everyone"
  | "no_datapoints"
  | "count_too_small"
  | "count_too_big"
  | "unlisted_all"
  | "no_numbers"
  | "empty_range"
  | "keeps_no_numbers"
  | "unknown_question"
  | "inaccessible"
  | "unknown_datapoint"
  | "unknown_suffix";

export interface NodeFault {
  code: FaultCode;
  /** The error and its remedy, as one sentence. */
  sentence: string;
  /** Fixes the error, if there is one obvious way. */
  fix?: { label: string; edit(document: EditorDocument): EditorDocument };
}

/**
 * The errors of every invalid node by node id; without a lookup only structural ones. Muted nodes
 * are not checked.
 */
export function findFaults(document: EditorDocument, lookup?: Lookup): Map<string, NodeFault[]> {
  const found = new Map<string, NodeFault[]>();
  for (const node of countingNodes(document)) {
    const faults =
      node.kind === "group"
        ? groupFaults(node, node === document.root)
        : [...leafFaults(node), ...(lookup ? catalogueFaults(node, lookup) : [])];
    if (faults.length > 0) found.set(node.id, faults);
  }
  return found;
}

function groupFaults(group: GroupNode, isRoot: boolean): NodeFault[] {
  if (counting(group).length > 0) return [];
  if (!isRoot) return [{ code: "empty_group", sentence: words.faults.emptyGroup }];
  if (!group.negated) return [];
  const fix = {
    label: words.fixes.removeNot,
    edit: (document: EditorDocument) => toggleNot(document, group.id),
  };
  return [{ code: "not_everyone", sentence: words.faults.notEveryone, fix }];
}

function leafFaults(leaf: LeafNode): NodeFault[] {
  if (leaf.numbers) return rangeFaults(leaf.numbers);
  if (leaf.datapoints?.length === 0) {
    return [{ code: "no_datapoints", sentence: words.faults.noDatapoints }];
  }
  if (leaf.datapoints === null && leaf.quantifier === "all") {
    return [{ code: "unlisted_all", sentence: words.faults.unlistedAll }];
  }
  const count = minCount(leaf);
  if (!Number.isInteger(count) || count < 1) {
    return [
      { code: "count_too_small", sentence: words.faults.countTooSmall, fix: setCount(leaf, 1) },
    ];
  }
  const most = leaf.datapoints?.length;
  return most !== undefined && count > most ? [countTooBig(leaf, count, most)] : [];
}

function rangeFaults(numbers: NumberEnds): NodeFault[] {
  const { min, above, max, below } = numbers;
  const [low, high] = [min ?? above, max ?? below];
  if (low === undefined && high === undefined) {
    return [{ code: "no_numbers", sentence: words.faults.noNumbers }];
  }
  const isOpen = above !== undefined || below !== undefined;
  const isEmpty =
    low !== undefined && high !== undefined && (low > high || (low === high && isOpen));
  return isEmpty ? [{ code: "empty_range", sentence: words.faults.emptyRange }] : [];
}

function catalogueFaults(leaf: LeafNode, lookup: Lookup): NodeFault[] {
  const question = lookup(leaf.question);
  if (!question) {
    return [{ code: "unknown_question", sentence: words.faults.unknownQuestion(leaf.question) }];
  }
  if (!question.accessible) {
    return [{ code: "inaccessible", sentence: words.faults.inaccessible }];
  }
  if (leaf.numbers) {
    const keepsNone = { code: "keeps_no_numbers", sentence: words.faults.keepsNoNumbers } as const;
    return question.own_numbers ? [] : [keepsNone];
  }
  const faults: NodeFault[] = [];
  const unlisted = missing(leaf.datapoints ?? [], question.datapoints.codes);
  if (unlisted.length > 0) {
    faults.push({
      code: "unknown_datapoint",
      sentence: words.faults.unknownDatapoint(unlisted),
      fix: {
        label: words.fixes.dropUnknown,
        edit: (document) => setDatapoints(document, leaf.id, without(leaf.datapoints, unlisted)),
      },
    });
  }
  const unheard = missing(leaf.suffixes, question.suffixes.codes);
  if (unheard.length > 0) {
    faults.push({
      code: "unknown_suffix",
      sentence: words.faults.unknownSuffix(unheard),
      fix: {
        label: words.fixes.dropUnknown,
        edit: (document) => setSuffixes(document, leaf.id, without(leaf.suffixes, unheard)),
      },
    });
  }
  const count = minCount(leaf);
  if (leaf.datapoints === null && count > question.datapoints.codes.length) {
    faults.push(countTooBig(leaf, count, question.datapoints.codes.length));
  }
  return faults;
}

function countTooBig(leaf: LeafNode, count: number, most: number): NodeFault {
  return {
    code: "count_too_big",
    sentence: words.faults.countTooBig(count, most),
    fix: setCount(leaf, most),
  };
}

function setCount(leaf: LeafNode, count: number) {
  return {
    label: words.fixes.setCount(count),
    edit: (document: EditorDocument) => setQuantifier(document, leaf.id, "at_least", count),
  };
}

function missing(codes: readonly string[], known: readonly string[]): string[] {
  const all = new Set(known);
  return codes.filter((code) => !all.has(code));
}

function without(codes: readonly string[] | null, dropped: readonly string[]): string[] {
  return (codes ?? []).filter((code) => !dropped.includes(code));
}
