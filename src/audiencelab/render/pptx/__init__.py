"""Slides of PowerPoint: `write_slides` writes tables as charts and tables that can be edited."""

from audiencelab.render.pptx.deck import write_slides
from audiencelab.render.pptx.headlines import slide_table
from audiencelab.render.pptx.plans import SlideChart
from audiencelab.render.pptx.slide_texts import SlideTable

__all__ = ["SlideChart", "SlideTable", "slide_table", "write_slides"]
