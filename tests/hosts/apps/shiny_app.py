"""An app of Shiny for Python, with shinywidgets."""

from everything import widgets
from shiny import App, ui
from shinywidgets import output_widget, render_widget

KINDS = ("picker", "editor", "grid", "chart", "workbench")

page = ui.page_fluid(ui.input_dark_mode(), *map(output_widget, KINDS))


def server(input, output, session):  # noqa: A002 - as Shiny calls them
    shown = widgets()
    for kind in KINDS:

        def drawn(kind=kind):
            return shown[kind]

        drawn.__name__ = kind
        render_widget(drawn)


app = App(page, server)
