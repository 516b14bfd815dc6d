"""The rows or columns of a table as nodes to add up, with those whom each is counted within."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.nodes import Counted, InAnswers, Node, Valid

Places = NDArray[np.intp]

_Answer = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Axis:
    """The nodes of rows or columns: each one's own, and whom it is counted within, once.

    node: each one's own among them. within: those they are counted within, each as the nodes that
    add up to it: itself, or all answers to a question. within_of: each one's among these.
    """

    nodes: list[Node]
    node: Places
    within: list[list[int]]
    within_of: Places

    @classmethod
    def of(cls, counted: Sequence[Counted], *, adds_up: bool = False) -> Axis:
        """adds_up: whether those who gave any answer are added up from those who gave each.

        That is sooner, as more respondents gave any; every sum is exact, and stays the same.
        """
        nodes, node, within_of = list[Node](), list[int](), list[int]()
        numbers, within = dict[bytes, int](), list[list[int]]()
        answers = {_answer(each.node) for each in counted} if adds_up else set[_Answer | None]()
        added: dict[int, Valid] = {}
        places: dict[_Answer | None, int] = {}
        for each in counted:
            number = numbers.setdefault(each.within.key, len(numbers))
            if number == len(within):
                # Where its answers are added up, this is replaced below, when all are listed.
                within.append([len(nodes)])
                if isinstance(each.within, Valid) and _has_all(answers, each.within):
                    added[number] = each.within
                else:
                    nodes.append(each.within)
            within_of.append(number)
            places[_answer(each.node)] = len(nodes)
            node.append(len(nodes))
            nodes.append(each.node)
        for number, valid in added.items():
            within[number] = [places[valid.question, code] for code in valid.answers]
        return cls(nodes, np.array(node, np.intp), within, np.array(within_of, np.intp))

    def of_nodes(self, table: Any) -> Any:
        """The columns of each one's own node. table: [rows, nodes]."""
        return table[:, self.node]

    def of_within(self, table: Any) -> Any:
        """The columns of whom each one is counted within."""
        added = [table[:, part].sum(axis=1) for part in self.within]
        return np.stack(added, axis=1)[:, self.within_of]


def _answer(node: Node) -> _Answer | None:
    """The question and its only datapoint, of a node that holds for all who gave that answer."""
    if isinstance(node, InAnswers) and len(node.datapoints) == 1 and not node.suffixes:
        return node.question, node.datapoints[0]
    return None


def _has_all(answers: Set[_Answer | None], valid: Valid) -> bool:
    """Whether all answers are there that add up to those who gave any."""
    return bool(valid.answers) and all((valid.question, each) in answers for each in valid.answers)
