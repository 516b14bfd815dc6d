from audiencelab.schema.http import Request, Response


def test_header_names_are_lower_case() -> None:
    request = Request("GET", "/", headers={"X-Team": "a"})
    assert request.headers == {"x-team": "a"}
    assert Response(200, {"Content-Type": "text/plain"}, iter(())).headers == {
        "content-type": "text/plain"
    }
