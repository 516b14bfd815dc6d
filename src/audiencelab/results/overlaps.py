"""Overlaps: who is in which of several audiences, and how many people they reach together.

Rooms: `result` the figures and what is read off them, `reaching` unions and the order that adds
most, `frames` the pandas frames, `showing` HTML and tables to print. No request is sent here; the
figures are those of one crosstab, of which `Client.overlap` makes a result.
"""

from audiencelab.results.overlap import MOST_AUDIENCES, OverlapResult

__all__ = ["MOST_AUDIENCES", "OverlapResult"]
