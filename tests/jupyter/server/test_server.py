"""What the page asks of the Jupyter server, and what it is told: over every kind of connection."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

import audiencelab as al
from tests.jupyter.server.jupyter import World

EVERY_KIND = ["demo", "survey", "team"]
AGE = [{"question": "core.q4", "datapoints": ["q4_2"], "suffixes": []}]


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect(survey=al.demo_survey())


def test_connections_are_listed_with_the_place_of_their_credentials(there: World) -> None:
    answer = there.get("/connections")
    listed = {each["name"]: each for each in answer.json()["connections"]}
    assert list(listed) == ["demo", "survey", "team", "evil", "tokenless", "gone"]
    assert answer.json()["default"] == "demo"
    assert answer.json()["problems"] == []
    assert listed["demo"]["code"] == "al.connect()"
    assert listed["survey"]["code"].startswith("al.connect(survey=")
    team = listed["team"]
    assert (team["kind"], team["title"], team["source"]) == ("deployment", "Team", "configuration")
    assert team["credential"]["found"]
    assert team["credential"]["location"] == str(there.jupyter.home / "tokens.toml")
    tokenless = listed["tokenless"]["credential"]
    assert (tokenless["needed"], tokenless["found"]) == (True, False)
    assert '"https://tokenless.example" = "…"' in tokenless["advice"]


def test_nothing_is_kept_by_a_cache_and_nothing_can_run(there: World) -> None:
    headers = there.get("/connections").headers
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].endswith("sandbox")
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_check_says_what_is_there(there: World, name: str) -> None:
    found = there.post(f"/connections/{name}/check").json()
    assert found["status"] == "ready"
    assert (found["namespaces"], found["questions"], found["waves"]) == (3, 76, 12)
    assert found["milliseconds"] >= 0


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("tokenless", "no credential", "tokens.toml"),
        ("gone", "unreachable", "See that the service at http://127.0.0.1:9 runs"),
        ("evil", "broken", ""),
    ],
)
def test_a_check_of_what_does_not_answer_says_what_to_do(
    there: World, name: str, status: str, words: str
) -> None:
    answer = there.post(f"/connections/{name}/check")
    assert answer.status_code == 200
    assert answer.json()["status"] == status
    assert words in answer.json()["message"]


def test_a_credential_that_is_put_in_place_is_found_at_the_next_check(there: World) -> None:
    file = there.jupyter.home / "tokens.toml"
    before = file.read_text()
    try:
        file.write_text(before.replace("right-token-77", "wrong-token-77"))
        refused = there.post("/connections/team/check").json()
        assert refused["status"] == "refused"
        assert str(file) in refused["message"]
    finally:
        file.write_text(before)
    assert there.post("/connections/team/check").json()["status"] == "ready"


@pytest.mark.parametrize("name", EVERY_KIND)
def test_the_picker_is_answered_as_in_a_kernel(there: World, name: str, client: al.Client) -> None:
    part = there.ask(name, "catalogue", start=0)
    assert part["ok"]
    content = json.loads(base64.b64decode(part["buffers"][0]))
    usable = {each["canonical"] for each in content["questions"] if each["accessible"]}
    assert usable == {each.canonical for each in client.catalogue}
    assert content["total"] == len(content["questions"]) > len(usable)
    assert there.ask(name, "question", question="core.q4")["data"]["description"]
    coverage = there.ask(name, "coverage")["data"]
    assert len(coverage["waves"]) == 12
    size = there.ask(name, "size", selection=AGE)["data"]
    table = client.crosstab(rows=[al.Q("core.q4").any("q4_2")])
    assert size["size"] == pytest.approx(table.values("row_size")[0, 0])
    code = "picked = (\n    client['Age'].isin(['18 to 24']),\n)"
    assert there.ask(name, "code", selection=AGE)["data"] == {"code": code}
    shares = there.ask(name, "figures", question="core.q4")["data"]["shares"]
    assert sum(each["percentage"] for each in shares) == pytest.approx(100)


def test_saved_audiences_with_their_sentence_and_size(there: World, client: al.Client) -> None:
    listed = there.ask("demo", "saved_audiences")["data"]["audiences"]
    saved = client.service.saved_audiences()
    assert [each["name"] for each in listed] == [each.name for each in saved]
    assert listed[0]["sentence"].startswith("Age is")
    assert eval(listed[0]["code"], {"al": al, "client": client}) == saved[0].to_audience()
    size = there.ask("demo", "saved_size", id=listed[0]["id"])["data"]
    assert 0 < size["percentage"] < 100
    told = there.ask("team", "saved_audiences")
    assert (told["ok"], told["error"]["type"]) == (False, "NotListed")


@pytest.mark.parametrize(
    ("op", "args", "kind"),
    [
        ("nope", {}, "AudienceError"),
        ("question", {}, "AudienceError"),
        ("question", {"question": "core.nope"}, "NotFound"),
        ("size", {"selection": "all"}, "AudienceError"),
        ("snippet", {"kind": "other"}, "AudienceError"),
        ("snippet", {"kind": "question"}, "SnippetError"),
    ],
)
def test_a_question_that_cannot_be_answered_is_told(
    there: World, op: str, args: dict, kind: str
) -> None:
    told = there.ask("demo", op, **args)
    assert (told["ok"], told["error"]["type"]) == (False, kind)
    assert told["error"]["message"]


def test_without_a_credential_jupyters_own_statuses_stay_its_own(there: World) -> None:
    answer = there.post("/connections/tokenless/ask", {"op": "catalogue", "args": {"start": 0}})
    assert answer.status_code == 200
    assert answer.json()["error"]["type"] == "ConnectionChoiceError"


def test_an_unknown_connection_is_not_there(there: World) -> None:
    for path in ("check", "ask"):
        answer = there.post(f"/connections/nope/{path}", {"op": "catalogue"})
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "UnknownConnection")


def test_an_edit_of_the_file_shows_at_once(there: World) -> None:
    file = there.jupyter.home / "connections.toml"
    before = file.read_text()
    try:
        file.write_text(before + '[new]\nurl = "https://new.example"\n[bad]\n')
        told = there.get("/connections").json()
    finally:
        file.write_text(before)
    assert "new" in [each["name"] for each in told["connections"]]
    assert told["problems"] == ["Connection 'bad': it needs one of url and survey."]


# -- surveys and templates -----------------------------------------------------------------------


def test_surveys_of_the_servers_folder_are_found_and_opened(there: World) -> None:
    assert there.get("/surveys").json() == {
        "surveys": [
            {
                "path": "surveys/mine",
                "title": al.demo_survey().name,
                "kind": "survey",
                "respondents": 24_000,
                "waves": 12,
                "size": 0,
            }
        ]
    }
    opened = there.post("/surveys/open", {"path": "surveys/mine"}).json()
    assert (opened["kind"], opened["source"]) == ("survey", "server folder")
    assert there.post(f"/connections/{opened['name']}/check").json()["status"] == "ready"


def test_templates_become_notebooks_and_never_overwrite(there: World) -> None:
    names = [each["name"] for each in there.get("/templates").json()["templates"]]
    assert names == ["starter", "crosstab", "profile", "trend", "survey"]
    (there.jupyter.notebooks / "work").mkdir()
    paths = [
        there.post("/templates/trend/create", {"folder": "work", "connection": "team"}).json()[
            "path"
        ]
        for _ in range(3)
    ]
    assert paths == [
        "work/Trend over waves.ipynb",
        "work/Trend over waves 1.ipynb",
        "work/Trend over waves 2.ipynb",
    ]
    notebook = nbformat.read(there.jupyter.notebooks / paths[0], as_version=4)
    nbformat.validate(notebook)
    code = next(cell["source"] for cell in notebook.cells if cell["cell_type"] == "code")
    assert "client = al.connect('http://127.0.0.1:" in code


def test_a_survey_beside_the_notebook_is_reached_from_it(there: World) -> None:
    (there.jupyter.notebooks / "deep" / "er").mkdir(parents=True)
    opened = there.post("/surveys/open", {"path": "surveys/mine"}).json()
    body = {"folder": "deep/er", "connection": opened["name"]}
    path = there.post("/templates/crosstab/create", body).json()["path"]
    text = (there.jupyter.notebooks / path).read_text()
    assert "al.connect(survey='../../surveys/mine')" in text


# -- the service, passed on ---------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_KIND)
def test_the_ten_operations_are_passed_on(there: World, name: str, client: al.Client) -> None:
    base = f"/connections/{name}/service"
    question = there.get(f"{base}/v2/questions/core.q4", params={"include": "datapoints"})
    assert question.json()["question"]["name"] == "Age"
    assert len(question.json()["question"]["datapoints"]) == 7
    root = next(iter(client.catalogue)).record.taxonomy_paths[0].categories_lineage[0].id
    assert there.get(f"{base}/v2/categories/{root}").json()["category"]["id"] == root
    asked = {"questions": [{"namespace_code": "core", "question": "q4"}]}
    assert len(there.post(f"{base}/v3/questions/filter", asked).json()["questions"]) == 1
    stats = there.post(f"{base}/v2/query/stats", {"question": "core.q4"})
    assert len(stats.json()["data"]) == 7
    table = there.post(f"{base}/v2/query/crosstab", {"rows": [{"id": "a", "name": "A"}]})
    assert table.headers["content-type"] == "application/x-ndjson"
    assert json.loads(table.text.splitlines()[0])["base"]["sample"] == 8_000
    insights = there.post(f"{base}/v3/insights/filter", {"limit": 2})
    assert len(insights.json()["insights"]) == 2
    made = there.post(f"{base}/v1/charts", {"name": "Kept"}).json()["id"]
    renamed = there.asks.put(f"{base}/v1/charts/{made}", json={"name": "Renamed"})
    assert renamed.json() == made
    assert there.post(f"{base}/v1/charts/{made}/calculate").status_code == 200
    saved = client.service.saved_audiences()[0].id
    patched = there.asks.patch(f"{base}/v2/saved/audiences/{saved}", json={"position": 3})
    assert patched.json()["position"] == 3


def test_refusals_of_the_service_come_as_it_says_them(there: World) -> None:
    for name in EVERY_KIND:
        refused = there.post(
            f"/connections/{name}/service/v2/query/stats", {"question": "core.nope"}
        )
        assert refused.status_code in (400, 404, 422)
        assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("name", EVERY_KIND)
def test_the_version_of_the_survey_passes_in_both_directions(there: World, name: str) -> None:
    path = f"/connections/{name}/service/v2/questions/core.q4"
    version = there.get(path).headers["survey-version"]
    assert there.get(path, headers={"If-Survey-Version": version}).status_code == 200
    refused = there.get(path, headers={"If-Survey-Version": "another"})
    assert (refused.status_code, refused.json()["type"]) == (412, "survey_changed")


def test_work_for_one_page_does_not_hold_up_the_server(there: World) -> None:
    """Jupyter answers while a service keeps a request waiting, and while a table is under way."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(there.get, "/connections/evil/service/v2/questions/core.waits")
        try:
            assert there.evil.asked.wait(60)
            there.jupyter.api("GET", "status")
            assert not answer.done()
        finally:
            there.evil.released.set()
        assert answer.result().status_code == 200

    rows = [{"name": str(n), "id": str(n)} for n in range(150)]
    path = "/connections/demo/service/v2/query/crosstab"
    with there.asks.stream("POST", path, json={"rows": rows, "columns": rows}) as table:
        cells = table.iter_lines()
        assert next(cells)
        there.jupyter.api("GET", "status")
        assert sum(1 for _ in cells) == 150 * 150 - 1
