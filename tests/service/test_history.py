"""Charts and saved audiences over any history of requests, beside a model that is a plain dict.

Everything goes through bytes, and the store's file is closed and opened again at any moment.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from audiencelab.expressions import Audience, parse_expression
from audiencelab.schema import SavedAudience
from audiencelab.service import Service
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, Answer, ask
from tests.service.surveys import build_survey

Document = dict[str, Any]

NIL = "00000000-0000-0000-0000-000000000000"
SEEDED = [
    SavedAudience(f"2f1b9f3e-63a2-4b1e-9a52-00000000000{place}", v1_id=place, name=f"Seed {place}")
    for place in (1, 2)
]

texts = st.text(max_size=5)
expressions = st.recursive(
    st.sampled_from(
        [
            {"question": "q2", "datapoints": ["q2_2"]},
            {"question": "q20", "datapoints": ["q20_1"], "not": True},
            {"question": "sport.q9"},
        ]
    ),
    lambda inner: st.builds(
        lambda word, nodes: {word: nodes},
        st.sampled_from(["and", "or"]),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=3,
)
DATASETS = {"q2": "main", "q20": "main"}

chart_fields: dict[str, st.SearchStrategy[Any]] = {
    "name": st.text(min_size=1, max_size=5),
    "color": texts,
    "group_type": st.integers(-(2**63) + 1, 2**63 - 1),
    "segmented_base": st.booleans(),
    "wave_codes": st.lists(st.text(min_size=1, max_size=3), max_size=2),
    "base_audience": st.fixed_dictionaries(
        {"id": st.uuids().map(str), "name": texts, "expression": expressions}
    ),
}
new_charts = st.fixed_dictionaries(
    {"name": chart_fields["name"]},
    optional={name: of for name, of in chart_fields.items() if name != "name"},
)
chart_changes = st.fixed_dictionaries(
    {},
    optional={
        **{name: of if name == "name" else st.none() | of for name, of in chart_fields.items()},
        "owner_email": st.none() | texts,
        "id": texts,
    },
)
audience_changes = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(min_size=1, max_size=5),
        "flags": st.lists(st.sampled_from(["authored", "curated", "isP2"]), unique=True),
        "datasets": st.lists(st.sampled_from(["main", "extra"]), max_size=2),
        "folder_id": st.uuids().map(str) | st.just(NIL),
        "position": st.floats(-1e9, 1e9),
        "shared": st.booleans(),
        "expression": expressions,
    },
)
wrong = st.sampled_from(
    [{"name": 1}, {"name": ""}, {"canary": 1}, {"datasets": ["gone"]}, {"expression": {}}, [], "x"]
)


def leaves(expression: Document) -> list[str]:
    inner = expression.get("and") or expression.get("or")
    return [code for node in inner for code in leaves(node)] if inner else [expression["question"]]


class History(RuleBasedStateMachine):
    charts_made = Bundle("charts_made")
    audiences_made = Bundle("audiences_made")
    survey: Survey
    """Set by the test, which makes it once."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.charts: dict[str, Document] = {}
        self.audiences = {each.id: msgspec.to_builtins(each) for each in SEEDED}
        self.keys: dict[str, tuple[Document, bytes]] = {}
        self.open()

    def open(self) -> None:
        self.service = Service(self.survey, [TOKEN], store=self.folder / "store.db")

    def teardown(self) -> None:
        self.service.close()
        shutil.rmtree(self.folder)

    def create(self, body: Document, key: str | None = None) -> Answer:
        headers = {} if key is None else {"Idempotency-Key": key}
        return ask(self.service, "POST", "/v1/charts", body, headers=headers)

    @rule(target=charts_made, body=new_charts)
    def create_chart(self, body: Document) -> str:
        answer = self.create(body)
        assert answer.status == 200
        made = answer.json["id"]
        self.charts[made] = {**body, "id": made, "owner_id": 1, "is_owner": True}
        return made

    @rule(target=charts_made, body=new_charts, key=st.sampled_from("abc"))
    def create_chart_under_a_key(self, body: Document, key: str) -> Any:
        answer = self.create(body, key)
        if key in self.keys:
            sent, told = self.keys[key]
            assert self.create(sent, key).body == told
            assert answer.status == (200 if body == sent else 409)
            return multiple()
        self.keys[key] = body, answer.body
        made = answer.json["id"]
        self.charts[made] = {**body, "id": made, "owner_id": 1, "is_owner": True}
        return made

    @rule(made=charts_made, body=chart_changes)
    def update_chart(self, made: str, body: Document) -> None:
        answer = ask(self.service, "PUT", f"/v1/charts/{made}", body)
        assert (answer.status, answer.json) == (200, made)
        changed = self.charts[made] | {name: body[name] for name in body if name != "id"}
        self.charts[made] = {name: value for name, value in changed.items() if value is not None}

    @rule(made=charts_made, body=wrong)
    def send_a_wrong_chart(self, made: str, body: Any) -> None:
        assert ask(self.service, "POST", "/v1/charts", body).status == 400
        assert ask(self.service, "PUT", f"/v1/charts/{made}", body).status == 400

    @rule(target=audiences_made, place=st.integers(0, len(SEEDED) - 1))
    def name_a_seeded_audience(self, place: int) -> str:
        return SEEDED[place].id

    @rule(target=audiences_made, name=texts, expression=st.none() | expressions)
    def save_audience(self, name: str, expression: Document | None) -> str:
        parsed = None if expression is None else parse_expression(expression)
        made = self.service.save_audience(Audience(name, parsed))
        self.audiences[made.id] = msgspec.to_builtins(made)
        return made.id

    @rule(made=audiences_made, body=audience_changes)
    def update_audience(self, made: str, body: Document) -> None:
        answer = ask(self.service, "PATCH", f"/v2/saved/audiences/{made}", body)
        assert answer.status == 200
        changed = self.audiences[made] | copy.deepcopy(body)
        if "expression" in body:
            labels = self.survey.catalogue.labels
            changed["description"] = parse_expression(body["expression"]).describe(labels)
            used = {DATASETS[code] for code in leaves(body["expression"]) if code in DATASETS}
            changed["datasets"] = body.get("datasets", sorted(used))
        self.audiences[made] = changed | {"updated_at": answer.json["updated_at"]}
        assert answer.json == self.audiences[made]

    @rule(made=audiences_made, body=wrong)
    def send_a_wrong_audience(self, made: str, body: Any) -> None:
        assert ask(self.service, "PATCH", f"/v2/saved/audiences/{made}", body).status == 400

    @rule()
    def restart(self) -> None:
        self.service.close()
        self.open()

    @invariant()
    def everything_is_as_the_model_has_it(self) -> None:
        times = ("created_at", "updated_at")
        kept = [msgspec.to_builtins(chart) for chart in self.service.charts()]
        assert [
            {name: value for name, value in chart.items() if name not in times} for chart in kept
        ] == list(self.charts.values())
        found = [msgspec.to_builtins(each) for each in self.service.saved_audiences()]
        assert found == list(self.audiences.values())


def test_any_history(tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("history") / "survey"
    History.survey = build_survey(folder, saved_audiences=SEEDED)
    test = History.TestCase()
    test.settings = settings(max_examples=25, stateful_step_count=25)
    test.runTest()
