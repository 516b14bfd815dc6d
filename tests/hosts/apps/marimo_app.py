"""An app of marimo: a cell for each widget."""

import marimo

app = marimo.App()


@app.cell
def _():
    from everything import widgets

    shown = widgets()
    return (shown,)


@app.cell
def _(shown):
    shown["picker"]
    return


@app.cell
def _(shown):
    shown["editor"]
    return


@app.cell
def _(shown):
    shown["grid"]
    return


@app.cell
def _(shown):
    shown["chart"]
    return


@app.cell
def _(shown):
    shown["workbench"]
    return


if __name__ == "__main__":
    app.run()
