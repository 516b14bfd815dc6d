"""A chart as a Vega-Lite specification, which is drawn on this machine without altair."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal, cast, get_args

import pandas as pd

from audiencelab.analysis.correspondence import Correspondence
from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.analysis.overlap import combinations_frame
from audiencelab.analysis.turf import sets_frame
from audiencelab.browser import IN_BROWSER
from audiencelab.charts import renderer
from audiencelab.charts.renderer import Spec, for_page
from audiencelab.charts.theme import LIGHT
from audiencelab.charts.wrapping import text_width
from audiencelab.files import put
from audiencelab.render.record_carriers import KEY, as_data, in_page, in_png, in_svg
from audiencelab.render.svg_text import drawable
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData
from audiencelab.results.made import Made
from audiencelab.results.overlap import OverlapData
from audiencelab.results.record import Record
from audiencelab.results.stats import StatsData
from audiencelab.results.table_code import table_code
from audiencelab.results.to_pandas import long_frame
from audiencelab.results.turf import TurfData
from audiencelab.unknown_names import OtherWords

VEGA_LITE = "application/vnd.vegalite.v6+json"
"""The MIME type of a specification, which the JupyterLab extension draws."""

_SAVED_SCALE = 1.5
"""Device pixels of a chart's, in the PNG that a notebook saves."""

_HOW_TO_SEE_IT = 'Run this cell to see the chart, or write it to a file with .save("chart.svg").'

Charted = (
    CrosstabData
    | StatsData
    | ChartCalculationData
    | GridData
    | OverlapData
    | MovingAverageData
    | TurfData
    | Correspondence
)
"""Results with a frame whose rows a chart's marks show."""


def frame_of(result: Charted) -> pd.DataFrame:
    """The long frame of a result."""
    if isinstance(result, Correspondence):
        return result.to_frame()
    if isinstance(result, MovingAverageData):
        return result.frame
    if isinstance(result, TurfData):
        return sets_frame(result)
    return combinations_frame(result) if isinstance(result, OverlapData) else long_frame(result)


FileFormat = Literal["svg", "png", "pdf", "html", "json"]
"""What a chart is written as, which is the ending of its file."""


@dataclass(frozen=True, slots=True)
class ChartSpecification(OtherWords):
    """A chart that draws itself on this machine.

    spec: Vega-Lite with a `description` and a `config`, not to be changed. result: what is drawn,
    where each mark is a row of its frame. made: how it was drawn, for `to_code`.
    """

    spec: Spec
    result: Charted | None = None
    made: Made = None

    def to_code(self) -> str:
        """See `Chart.to_code`."""
        return table_code(self)

    def made_by(self, made: Made) -> ChartSpecification:
        """The same chart with how it was drawn, in its record too."""
        known = self.spec.get("usermeta", {}).get(KEY)
        if not isinstance(known, dict) or "code" not in known:
            return replace(self, made=made)
        told = {KEY: cast(Spec, known) | {"code": str(made)}}
        return replace(self, made=made, spec=self.spec | {"usermeta": told})

    @property
    def summary(self) -> str:
        """What the chart shows, for people who do not see it."""
        return self.spec["description"]

    def to_dict(self) -> Spec:
        """The Vega-Lite specification."""
        return self.spec

    def svg(self) -> str:
        """The chart as SVG text; labels are escaped, nothing in it is fetched or run."""
        return in_svg(self._drawn(), self.title, self.records)

    def _drawn(self) -> str:
        """The SVG without what it is of."""
        title = self.spec.get("title")
        # The reader's font may be wider than the one that the chart is measured with.
        lines: str | list[str] = (
            cast(Spec, title).get("subtitle", []) if isinstance(title, dict) else []
        )
        widest = max(map(text_width, [lines] if isinstance(lines, str) else lines), default=0.0)
        drawn = renderer.at_least_as_wide(renderer.svg(drawable(self.spec)), 24 + 1.04 * widest)
        return renderer.labelled(drawn, self.summary)

    def png(self, *, scale: float = 2.0) -> bytes:
        """The chart as a PNG image, `scale` device pixels for each of the chart's."""
        return self._image(scale)

    def _image(self, scale: float, drawn: str = "") -> bytes:
        image = renderer.png(drawable(self.spec), scale, drawn)
        return in_png(image, self.title, self.records)

    @property
    def records(self) -> list[Record]:
        """What the chart is of, by its title of now; [] where that is not known."""
        found: Any = self.spec.get("usermeta", {}).get(KEY, [])
        several = cast("list[Any]", found) if isinstance(found, list) else [found]
        records = [Record.from_dict(each) for each in several]
        # One that was given another title is called so.
        title = self.title if len(records) == 1 else ""
        return [replace(each, title=title or each.title) for each in records]

    @property
    def title(self) -> str:
        """Its first line, which may be broken into several; "" where it has none."""
        title: Any = self.spec.get("title", "")
        text: Any = cast(Spec, title).get("text", "") if isinstance(title, dict) else title
        return " ".join(cast("list[str]", text)) if isinstance(text, list) else text

    def titled(self, text: str) -> ChartSpecification:
        """The same chart with another first line; base and source stay below it."""
        return replace(self, spec=self.spec | {"title": self.spec["title"] | {"text": text}})

    def html(self) -> str:
        """The chart as a page that needs no network, with values where it is pointed at."""
        return renderer.page(drawable(self.spec), self.svg(), str(in_page(self.records)))

    def save(
        self,
        fp: str | Path | IO[Any],
        format: FileFormat | None = None,  # noqa: A002 -- altair's name
        *,
        scale_factor: float = 2.0,
    ) -> None:
        """Write it to a file, in the format that the name ends in, or to an open one.

        Raises `ValueError` for another format, and `WriteError` where it cannot be written.
        """
        name = str(fp) if isinstance(fp, str | Path) else ""
        written = self._written(format or Path(name).suffix[1:].lower(), name, scale_factor)
        if isinstance(fp, str | Path):
            put(fp, written)
        else:
            fp.write(written.decode() if isinstance(fp, io.TextIOBase) else written)

    def _written(self, kind: str, name: str, scale: float) -> bytes:
        if kind == "svg":
            return self.svg().encode()
        if kind == "png":
            return self.png(scale=scale)
        if kind == "pdf":
            return renderer.pdf(drawable(self.spec))
        if kind == "html":
            return self.html().encode()
        if kind == "json":
            return json.dumps(self.spec, indent=2, sort_keys=True).encode()
        if not name:
            raise ValueError(
                f"An open file needs a format, one of {', '.join(get_args(FileFormat))}: "
                f'chart.save(file, "png"); got {kind or None!r}.'
            )
        slide = ' Slides are made of the table: table.to_pptx("deck.pptx", chart="bar").'
        raise ValueError(
            f"Cannot write {Path(name).name!r}: end the name in .svg, .png, .pdf, .html or .json."
            f"{slide if kind == 'pptx' else ''} Write chart.save({Path(name).stem + '.svg'!r})."
        )

    def displayed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The chart as a notebook shows and saves it, by MIME type, and what it is of."""
        text, known = f"{self!r}\n{_HOW_TO_SEE_IT}", self.metadata()
        if IN_BROWSER:
            return {VEGA_LITE: for_page(self.spec), "text/plain": text}, known
        svg = self._drawn()
        # Untrusted notebooks and printed documents show the PNG, terminals the text.
        shown = {
            "image/svg+xml": in_svg(self._in_both_themes(svg), self.title, self.records),
            "image/png": base64.b64encode(self._image(_SAVED_SCALE, svg)).decode(),
            "text/plain": text,
        }
        # A page with our extension draws what moves; all others show the image.
        moving = {VEGA_LITE: self._without_run()} if any(_params(self.spec)) else {}
        return moving | shown, known

    def metadata(self) -> dict[str, Any]:
        """What the chart is of, as metadata of an output; {} where that is not known."""
        known = [each.to_dict() for each in self.records if each.survey]
        return {KEY: as_data(known)} if known else {}

    def _without_run(self) -> Spec:
        """The specification without what differs from run to run.

        Programs that compare notebooks leave dates out of text, but not out of JSON.
        """
        spec = {name: each for name, each in self.spec.items() if name != "usermeta"}
        title = spec.get("title")
        for record in self.records if isinstance(title, dict) else ():
            lines = [*cast("list[str]", cast(Spec, title).get("subtitle", []))]
            more = record.line().removeprefix(record.line(short=True))
            while more and lines and more.endswith(lines[-1]):
                more = more.removesuffix(lines.pop()).rstrip()
            if lines and lines[-1].endswith(more):
                lines[-1] = lines[-1].removesuffix(more)
                spec["title"] = cast(Spec, title) | {"subtitle": lines}
        return spec

    def __repr__(self) -> str:
        return f"<Chart: {self.summary}>"

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.displayed()

    def __deepcopy__(self, memo: object) -> ChartSpecification:
        return self

    def _in_both_themes(self, svg: str) -> str:
        """The chart as a notebook shows it: one in the light theme follows that of its page."""
        config: Spec = self.spec["config"]
        if config.get("background") != LIGHT.ground:
            return svg
        return renderer.adaptive(svg, drawable(self.spec))


def _params(part: Any) -> Iterator[Any]:
    """What can be moved or chosen in a chart, such as the scales of `interactive()`."""
    if isinstance(part, list):
        for each in cast("list[Any]", part):
            yield from _params(each)
    elif isinstance(part, dict):
        view = cast(Spec, part)
        yield from view.get("params", ())
        for name in ("layer", "spec", "concat", "hconcat", "vconcat"):
            yield from _params(view.get(name))
