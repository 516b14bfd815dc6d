"""JupyterLab starts with audiencelab, and the test harness works."""

import pytest
from playwright.sync_api import Browser, Error, expect

import audiencelab
from tests.browser.conftest import Lab
from tests.browser.page import Watch, is_local

# What is there of an earlier page, and something for a later one to find.
KEEP = """async () => {
  const found = {
    stored: localStorage.getItem("kept"),
    cookie: document.cookie.includes("kept"),
    databases: (await indexedDB.databases()).filter(({ name }) => name === "kept"),
    clipboard: (await navigator.permissions.query({ name: "clipboard-read" })).state,
  };
  localStorage.setItem("kept", "yes");
  document.cookie = "kept=yes; max-age=1000";
  await new Promise((done) => { indexedDB.open("kept").onsuccess = done; });
  return found;
}"""


def test_notebook_imports_audiencelab(lab: Lab) -> None:
    notebook = lab.write("hello", ["# A heading", "import audiencelab\naudiencelab.__version__"])
    page = lab.open(notebook)
    page.run_all()
    expect(page.cell_output(1)).to_contain_text(audiencelab.__version__)
    assert page.python("audiencelab.__name__") == "audiencelab"
    page.expect_python("[1, 'a', None]", [1, "a", None])
    with pytest.raises(AssertionError):
        page.expect_python("1", 2, seconds=0.2)


def test_themes(lab: Lab) -> None:
    page = lab.run("themes", ["1 + 1"])
    backgrounds = []
    for theme in ("light", "dark"):
        page.theme(theme)
        page.screenshot(f"lab-{theme}")
        backgrounds.append(page.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert backgrounds[0] != backgrounds[1]


def test_failing_cell_fails_the_test(lab: Lab) -> None:
    page = lab.open(lab.write("failing", ["1 / 0"]))
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        page.run_all()


def test_kernel_and_page_can_start_again(lab: Lab) -> None:
    page = lab.run("again", ["n = 7"])
    page.command("docmanager:save")
    page.reload()
    assert page.python("n") == 7
    page.restart_kernel()
    with pytest.raises(AssertionError, match="NameError"):
        page.python("n")


def test_a_call_returns_while_the_kernel_is_busy(lab: Lab) -> None:
    hold = lab.hold()
    page = lab.open(lab.write("busy", [hold.code]))
    hold.start()
    page.run_cell(0, wait=False)
    expect(page.cell(0)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()
    expect(page.cell(0)).to_contain_text("[1]")


def test_two_pages_share_a_notebook(lab: Lab) -> None:
    notebook = lab.write("shared", ["n = 1"])
    first, second = lab.open(notebook), lab.open(notebook)
    first.run_all()
    assert second.python("n") == 1


def test_the_harness_reports_forbidden_actions_of_a_page(browser: Browser) -> None:
    with browser.new_context() as context:
        watch = Watch(context)
        page = context.new_page()
        page.set_content('<img src="http://tracker.invalid/a.png"><script>missing()</script>')
        page.wait_for_load_state("networkidle")
    assert watch.outside == ["http://tracker.invalid/a.png"]
    assert "missing is not defined" in watch.exceptions[0]


@pytest.mark.parametrize("address", ["http://tracker.example", "http://192.0.2.1", "http://[::2]"])
def test_no_page_contacts_another_machine(browser: Browser, address: str) -> None:
    with browser.new_context() as context, pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        context.new_page().goto(address)


@pytest.mark.parametrize("number", [1, 2])
def test_browser_storage_does_not_outlive_its_test(lab: Lab, number: int) -> None:
    page = lab.open(lab.write("keeping", [f"{number}"])).page
    kept = page.evaluate(KEEP)
    assert kept == {"stored": None, "cookie": False, "databases": [], "clipboard": "prompt"}
    page.context.grant_permissions(["clipboard-read"])


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://127.0.0.1:8888/lab", True),
        ("ws://localhost:8888/api", True),
        ("data:image/png;base64,AA", True),
        ("https://cdn.example.org/vega.js", False),
        ("http://127.0.0.1.example.org/", False),
    ],
)
def test_local_addresses_are_recognised(address: str, local: bool) -> None:
    assert is_local(address) is local
