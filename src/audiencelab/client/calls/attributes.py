"""Whether what a chart is to show exists: asked before the chart is made, where that is cheap.

The service keeps a chart of any codes and tells what it does not find when the chart is
calculated, maybe weeks later. A slip of the pen is better told at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from audiencelab.client.calls.asking import catalogue_for_advice
from audiencelab.client.calls.hints import question_hint
from audiencelab.client.calls.names import learn
from audiencelab.client.catalogue.labels import did_you_mean, not_accessible
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.flow import Flow
from audiencelab.client.operations.attributes import GivenAttribute
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import join_code
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import ChartAttribute, Question

__all__ = ["check_attributes"]


def check_attributes(
    session: Session, options: Options, attributes: Iterable[GivenAttribute]
) -> Flow[None]:
    """Raise `UnknownCodeError`, with every fault, for what the service does not have.

    Asked are a service in this process, and one whose catalogue is known already.
    """
    wanted = [each for each in attributes if each.is_looked_up]
    if not wanted or not (session.embedded or session.catalogue is not None):
        return
    codes = {each.place: _question_code(each.attribute) for each in wanted}
    yield from learn(session, options, codes.values())
    if not session.book.knows(codes.values()):
        return
    faults: list[Fault] = []
    for each in wanted:
        code = codes[each.place]
        question = session.book.question(code)
        if question is not None:
            faults += [Fault(each.place, why) for why in _why_not(question, each.attribute)]
        elif code != WAVES:
            catalogue = yield from catalogue_for_advice(session, options)
            written = code.removeprefix(f"{session.base_namespace}.")
            faults.append(Fault(each.place, question_hint(written, catalogue)))
    if faults:
        # A whole question that is wrong is so with each of its datapoints.
        faults = list(dict.fromkeys(faults))
        told = list_faults("The chart cannot show all of that.", faults)
        raise UnknownCodeError(told, dict.fromkeys(codes[fault.pointer] for fault in faults))


def _question_code(attribute: ChartAttribute) -> str:
    if attribute.question_code == WAVES:
        return WAVES
    return join_code(attribute.namespace_code, attribute.question_code)


def _why_not(question: Question, attribute: ChartAttribute) -> list[str]:
    """What is wrong with an attribute of a question that exists; at most one sentence."""
    called = f"{question.code!r} ({question.name})"
    if not question.accessible:
        return [not_accessible(f"Question {called}")]
    if question.datapoints is None:
        return []
    names = {each.code: each.name for each in question.datapoints}
    suffixes = {each.code: each.name for each in question.suffixes}
    for kind, code, known in (
        ("datapoint", attribute.datapoint_code, names),
        ("suffix", attribute.suffix_code, suffixes),
    ):
        if code and code not in known:
            return [f"Question {called} has no {kind} {code!r}.{did_you_mean(code, known)}"]
    return []
