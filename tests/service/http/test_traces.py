"""Spans of OpenTelemetry, where it is installed."""

from __future__ import annotations

from opentelemetry.instrumentation.starlette import StarletteInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from starlette.testclient import TestClient

from audiencelab.service import Service
from audiencelab.service.http.app import application
from audiencelab.survey import Survey
from tests.service.asking import TOKEN


def test_spans_are_named_after_operations(survey: Survey) -> None:
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with Service(survey, (TOKEN,)) as service:
        app = application(service)
        StarletteInstrumentor.instrument_app(app, tracer_provider=provider)
        caller = TestClient(app, headers={"authorization": f"Bearer {TOKEN}"})
        assert caller.get("/v2/questions/q2").status_code == 200
        assert caller.get("/v2/questions/none").status_code == 404
        rows = [{"expression": {"question": "q2", "datapoints": ["q2_1"]}}]
        assert caller.post("/v2/query/crosstab", json={"rows": rows}).status_code == 200
        caller.get("/health")
    spans = [each.name for each in kept.get_finished_spans() if each.kind is SpanKind.SERVER]
    assert spans == ["get_question", "get_question", "query_crosstab", "GET /health"]
