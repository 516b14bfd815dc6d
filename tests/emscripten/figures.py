"""What native Python and that of a browser must compute alike; both run this file."""

import json
import time
from functools import partial

import audiencelab as al
from audiencelab.survey import demo_survey

# Not .jsonl: JupyterLite cannot read a file of JSON lines that comes with its site.
CALLS = "calls.snapshot"
FILES = (".csv", ".parquet", ".sav", ".xlsx")


def questions(client):
    table = client.crosstab("Finding brands", ["Gender", "Age"])
    young = client["Age"].isin(["18 to 24", "25 to 34"]).named("Young")
    return {
        "crosstab": table.to_html(),
        "wide": client.crosstab("Social apps: how often", "Age").to_html(),
        "stats": repr(client.stats("Gender", splitter="waves").rows),
        "profile": repr(client.profile(young)),
        "size": repr(client.size(young)),
        "overlap": repr(client.overlap([young, client["Gender"]["Female"]])),
    }


def seconds(turns=9):
    """The best time of some queries after the first, and the times of what comes before them."""
    start = time.perf_counter()
    client = al.connect()
    connected = time.perf_counter()
    client.crosstab("Gender", "Age")
    found = {"connect": connected - start, "first crosstab": time.perf_counter() - connected}
    young = client["Age"].isin(["18 to 24", "25 to 34"]).named("Young")
    queries = {
        "crosstab, 14 × 7": lambda: client.crosstab("Finding brands", "Age"),
        "crosstab, 78 × 7": lambda: client.crosstab("Social apps: how often", "Age"),
        "stats over 12 waves": lambda: client.stats("Gender", splitter="waves"),
        "profile": lambda: client.profile(young),
    }
    for name, query in queries.items():
        times = []
        for _ in range(turns):
            start = time.perf_counter()
            query()
            times.append(time.perf_counter() - start)
        found[name] = min(times)
    return found


def figures(folder, *, record=False):
    client = al.connect()
    found = {"seal": demo_survey().seal, **questions(client)}
    if record:
        with client.recording(f"{folder}/{CALLS}"):
            questions(client)
    return found | {"replayed": questions(al.connect(snapshot=f"{folder}/{CALLS}"))}


def of_a_file(folder):
    """Figures of a file of respondents, and all that tests of them need, in bytes.

    The file was imported into `tee` by native Python, which has readers.
    """
    client = al.open(f"{folder}/tee")
    women = client["Geschlecht"] == "Weiblich"
    means = [client["Tassen in der Woche"].mean(), client["Alter in Jahren"].mean()]
    rows = [
        {"id": code, "name": code, "expression": {"question": "kauf", "datapoints": [code]}}
        for code in ("kauf_1", "kauf_2", "kauf_3")
    ]
    columns = [{"id": "w", "name": "w", "expression": women.to_wire("query")}]
    body = {"rows": rows, "columns": columns}
    numbers = {"question": "tassen", "splitter": "geschlecht"}
    local = {"precision": body, "pairs": body, "numbers": numbers}
    return {
        "crosstab": client.crosstab(["Liebste Sorte", *means], "Geschlecht").to_html(),
        "stats": repr(client.stats("sorte", splitter="waves", audiences=[women]).rows),
        "profile": repr(client.profile(women, "Wo kaufen Sie ein?")),
        **{
            name: client.request("POST", f"/local/{name}", json=asked).body.decode()
            for name, asked in local.items()
        },
    }


def raised(call):
    """The error of a call as `name: message`."""
    try:
        call()
    except (ImportError, OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def widgets(client):
    """Which widgets are made, with what they show where there is no kernel."""
    made = (
        al.QuestionPicker(client),
        al.AudienceEditor(client, client["Age"].isin(["18 to 24"])),
        al.Crosstab(client, "Gender", "Age"),
        al.Workbench(client, "Gender", "Age"),
    )
    made[2].wait(60)
    return [made[2].result.to_html(), *(type(each).__name__ for each in made)]


async def remote(address, token):
    """A table of a service at an address, by the browser's own requests."""
    async with al.connect_async(address, token=token) as client:
        table = await client.crosstab("Gender", "Age")
    return table.to_html()


async def in_node(folder, address, token):
    """Everything of this file, as JSON, with what Python in a browser alone answers."""
    client = al.connect()
    table = client.crosstab("Gender", "Age")
    return json.dumps(
        figures(folder)
        | {
            "of a file": of_a_file(folder),
            "widgets": widgets(client),
            "remote": await remote(address, token),
            "frame": raised(table.to_frame),
            "chart": raised(lambda: table.chart.bar()),
            "test": raised(table.test),
            "files": [raised(partial(al.open, f"{folder}/people{each}")) for each in FILES],
            "completion": [name for name in ("charts", "serve") if name in dir(al)],
        }
    )
