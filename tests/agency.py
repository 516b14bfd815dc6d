"""A survey as a research agency has it: 12,000 respondents, 300 columns, German and Japanese.

    python -m tests.agency FOLDER     writes agency.sav into FOLDER

It has twelve quarters, two weights, two grids of 30 items on 7 points, sets of 20 brands, routed
items, an NPS question, amounts, a question of 500 codes and one with hostile labels. All answers
are drawn from one seed. Tests take it by the fixture `agency`, a client, or `agency_survey`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
from numpy.typing import NDArray

from tests import agency_texts as texts

RESPONDENTS, QUARTERS, SEED = 12_000, 12, 42
NAME, WEIGHTS = "Kaffeemonitor", ["weight", "weight_hh"]
TICKED = {0: "Nicht genannt", 1: "Genannt"}
YES = {1: "Ja", 2: "Nein"}
DO_NOT_KNOW = {98: "Weiß nicht", 99: "Keine Angabe"}

Floats = NDArray[np.float64]
Labels = Mapping[int, str]


class Agency:
    """Respondents as they are drawn, column by column."""

    def __init__(self, respondents: int = RESPONDENTS) -> None:
        self.count = respondents
        self.rng = np.random.default_rng(SEED)
        self.columns: dict[str, Any] = {}
        self.labels: dict[str, str] = {}
        self.values: dict[str, dict[int, str]] = {}
        self.missing: dict[str, list[int]] = {}
        self._draw()

    def write(self, path: Path) -> Path:
        """The survey as a file of SPSS."""
        pyreadstat.write_sav(
            self.frame(),
            str(path),
            file_label=NAME,
            column_labels=self.labels,
            variable_value_labels=self.values,
            missing_ranges=self.missing,
        )
        return path

    def frame(self) -> pd.DataFrame:
        """One row a respondent, NaN where a question was not asked."""
        return pd.DataFrame(self.columns)

    # -- what is asked ----------------------------------------------------------------------------

    def _draw(self) -> None:
        self._people()
        self.liking = self.rng.standard_normal(self.count) - 0.4 * self.young + 0.02 * self.quarter
        self._brands()
        self._scales()
        self._amounts()
        self._lists()
        self._others()

    def _people(self) -> None:
        count, rng = self.count, self.rng
        self.quarter = np.sort(rng.integers(1, QUARTERS + 1, count))
        self.age = np.clip(rng.normal(47, 17, count), 16, 89).round()
        self.young = (self.age < 35).astype(float)
        self._add("id", "Laufende Nummer", np.arange(1, count + 1.0))
        names = {each: f"{2023 + (each - 1) // 4} Q{(each - 1) % 4 + 1}" for each in range(1, 13)}
        self._add("wave", "Quartal der Erhebung", self.quarter, names)
        weights = np.exp(rng.normal(0, 0.35, count) + 0.3 * self.young)
        self._add("weight", "Gewicht: Personen ab 16 Jahren", (weights / weights.mean()).round(4))
        weights = np.exp(rng.normal(0, 0.25, count))
        self._add("weight_hh", "Gewicht: Haushalte", (weights / weights.mean()).round(4))
        gender = rng.choice(3, count, p=[0.5, 0.488, 0.012]) + 1
        self.woman = (gender == 1).astype(float)
        self._add("geschlecht", "Geschlecht", gender, {1: "weiblich", 2: "männlich", 3: "divers"})
        groups = np.digitize(self.age, [25, 35, 45, 55, 65]) + 1
        ages = "16 bis 24 Jahre|25 bis 34 Jahre|35 bis 44 Jahre|45 bis 54 Jahre|55 bis 64 Jahre"
        ages = f"{ages}|65 Jahre und älter"
        self._add("altersgruppe", "Altersgruppe (gruppiert)", groups, ages)
        self._add("alter", "Alter in Jahren", self.age)
        shares = np.array(texts.STATE_SHARES, dtype=float)
        states = rng.choice(16, count, p=shares / shares.sum()) + 1
        self._add("bundesland", "Bundesland", states, _numbered(texts.STATES))

    def _brands(self) -> None:
        """Awareness, then use by those aware, item by item; recall in three quarters alone."""
        known: list[Floats] = []
        for place in range(len(texts.BRANDS)):
            pull = 1.2 - 0.17 * place + 0.3 * self.liking + 0.04 * self.quarter * (place == 3)
            known.append(self._ticked(pull))
        used = [
            np.where(each == 1, self._ticked(self.liking - 0.6 - 0.03 * place), np.nan)
            for place, each in enumerate(known)
        ]
        late = self.quarter > QUARTERS - 3
        recalled = [
            np.where(late, self._ticked(0.2 * self.liking - 1 - 0.1 * place), np.nan)
            for place in range(len(texts.BRANDS))
        ]
        known_of = "Welche der folgenden Kaffeemarken kennen Sie, und sei es nur dem Namen nach?"
        used_of = "Und von welcher dieser Marken haben Sie in den letzten vier Wochen gekauft?"
        seen_of = "Für welche Kaffeemarken haben Sie in letzter Zeit Werbung gesehen oder gehört?"
        self._set("b1", known_of, texts.BRANDS, known)
        self._set("b2", used_of, texts.BRANDS, used)
        self._set("b3", seen_of, texts.BRANDS, recalled)
        self.buyer = np.nansum(used, axis=0) > 0
        stem = "Welche Aussagen treffen Ihrer Meinung nach zu? Die Marke"
        for number, brand in enumerate(texts.BRANDS[:8], 1):
            aware = known[number - 1] == 1
            drawn = [
                np.where(aware, self._ticked(0.4 * self.liking - 0.15 * place), np.nan)
                for place in range(len(texts.IMAGE))
            ]
            self._set(f"im{number}", f"{stem} {brand} …", texts.IMAGE, drawn)
        media = [self._ticked(0.6 - 0.14 * place) for place in range(len(texts.MEDIA_JA))]
        self._set("m1", "コーヒーについての情報をどこで得ていますか", texts.MEDIA_JA, media)
        bought = [
            np.where(self.buyer, self._ticked(0.8 - 0.3 * place), np.nan)
            for place in range(len(texts.CHANNELS))
        ]
        self._set("k1", "Wo kaufen Sie Ihren Kaffee normalerweise?", texts.CHANNELS, bought)

    def _scales(self) -> None:
        grid = "Wie sehr stimmen Sie den folgenden Aussagen zu?"
        for number, item in enumerate(texts.ATTITUDES, 1):
            pull = 0.35 * (self.liking if number % 3 else self.woman) + 0.9 * np.sin(number)
            self._add(f"f10_{number}", f"{grid} {item}", self._scale(7, pull), texts.AGREE)
        grid = "あなたの買い物についての考えをお聞かせください"
        for number, item in enumerate(texts.ATTITUDES_JA, 1):
            pull = 0.3 * (self.liking if number % 2 else self.young) + 0.7 * np.cos(number)
            self._add(f"j20_{number}", f"{grid}: {item}", self._scale(7, pull), texts.AGREE_JA)
        title = (
            "Wie zufrieden sind Sie alles in allem mit der Kaffeemarke, die Sie zuletzt gekauft "
            "haben?"
        )
        values = self._scale(5, 0.6 * self.liking + 0.5)
        values[self.rng.random(self.count) < 0.04] = 98
        self._add("f30", title, values, {**texts.SATISFIED, **DO_NOT_KNOW}, where=self.buyer)
        grid = "Wie zufrieden sind Sie mit Ihrer Filiale in Bezug auf …"
        for number, item in enumerate(texts.SERVICES, 1):
            values = self._scale(5, 0.5 * self.liking + 0.8 - 0.15 * number)
            title = f"{grid}: {item}"
            self._add(f"f31_{number}", title, values, texts.SATISFIED, where=self.buyer)
        grid = "Wie häufig machen Sie in Ihrer Freizeit Folgendes?"
        for number, item in enumerate(texts.ACTIVITIES, 1):
            values = self._scale(6, 0.4 * self.young + np.sin(number))
            self._add(f"f40_{number}", f"{grid} {item}", values, texts.OFTEN)
        title = (
            "Wie wahrscheinlich ist es, dass Sie Ihre Kaffeemarke an Freunde oder Bekannte "
            "weiterempfehlen?"
        )
        points = 7.2 + 1.8 * self.liking + self.rng.normal(0, 1, self.count)
        points = np.clip(np.round(points), 0, 10)
        ends = {0: "überhaupt nicht wahrscheinlich", 10: "äußerst wahrscheinlich"}
        named = {each: ends.get(each, str(each)) for each in range(11)}
        self._add("nps", title, points, named, where=self.buyer)

    def _amounts(self) -> None:
        spent = np.round(self.rng.gamma(2, 9, self.count) * np.exp(0.3 * self.liking), 2)
        spent[self.rng.random(self.count) < 0.05] = np.nan
        title = "Wie viel Euro geben Sie in einem gewöhnlichen Monat für Kaffee aus?"
        self._add("ausgaben", title, spent, where=self.buyer)
        cups = np.clip(np.round(self.rng.gamma(3, 0.9, self.count) + 0.3 * self.liking), 0, 15)
        self._add("tassen", "Wie viele Tassen Kaffee trinken Sie an einem gewöhnlichen Tag?", cups)

    def _lists(self) -> None:
        places = self.rng.zipf(1.3, self.count) % len(texts.TOWNS) + 1
        places[: len(texts.TOWNS)] = np.arange(len(texts.TOWNS)) + 1
        title = "In welcher Stadt oder Gemeinde wohnen Sie?"
        self._add("wohnort", title, places, _numbered(texts.TOWNS))
        many = len(texts.INDUSTRIES)
        shares = self.rng.dirichlet(np.full(many, 1.2))
        worked = self.rng.choice(many, self.count, p=shares) + 1
        title = "In welcher Branche sind Sie hauptsächlich tätig?"
        working = self.rng.random(self.count) < 0.63
        self._add("branche", title, worked, _numbered(texts.INDUSTRIES), where=working)
        shares = np.array([30, 22, 18, 12, 9, 6, 3]) / 100
        hostile = self.rng.choice(len(texts.HOSTILE), self.count, p=shares) + 1
        title = '=HYPERLINK("http://example.org";"Warum <i>trinken</i> Sie Kaffee?")'
        self._add("h1", title, hostile, _numbered(texts.HOSTILE))

    def _others(self) -> None:
        for number, item in enumerate(texts.GOODS, 1):
            values = 2 - self._ticked(0.8 - 0.12 * number)
            title = f"Was davon gibt es in Ihrem Haushalt? {item}"
            self._add(f"g1_{number}", title, values, YES)
        for name, (title, answers) in OTHERS.items():
            shares = self.rng.dirichlet(np.full(answers.count("|") + 1, 4.0))
            self._add(name, title, self.rng.choice(len(shares), self.count, p=shares) + 1, answers)
        left = np.clip(np.round(self.rng.normal(4.7, 2, self.count)), 0, 10)
        self._add("selbst", "Politische Selbsteinstufung von 0 (links) bis 10 (rechts)", left)
        minutes = np.round(self.rng.gamma(6, 3, self.count), 1)
        self._add("dauer", "Dauer des Interviews in Minuten", minutes)
        comments = self.rng.choice(np.array(texts.OPEN, dtype=object), self.count)
        self._add("offen", "Möchten Sie uns noch etwas mitteilen?", comments)

    # -- how it is drawn --------------------------------------------------------------------------

    def _add(
        self,
        name: str,
        title: str,
        values: Any,
        labels: Labels | str = "",
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        if isinstance(labels, str):
            labels = _numbered(labels.split("|")) if labels else {}
        self.columns[name] = values if where is None else np.where(where, values, np.nan)
        self.labels[name] = title
        if labels:
            self.values[name] = dict(labels)
        if declared := [code for code, word in DO_NOT_KNOW.items() if labels.get(code) == word]:
            self.missing[name] = declared

    def _set(self, name: str, title: str, items: Sequence[str], drawn: Sequence[Floats]) -> None:
        for number, (item, values) in enumerate(zip(items, drawn, strict=True), 1):
            self._add(f"{name}_{number}", f"{title}: {item}", values, TICKED)

    def _ticked(self, pull: float | Floats) -> Floats:
        chance = 1 / (1 + np.exp(-np.asarray(pull)))
        return (self.rng.random(self.count) < chance).astype(float)

    def _scale(self, points: int, pull: float | Floats) -> Floats:
        drawn = (points + 1) / 2 + (self.rng.standard_normal(self.count) + pull) * points / 4.5
        return np.clip(np.round(drawn), 1, points)


def _numbered(names: Sequence[str]) -> dict[int, str]:
    return dict(enumerate(names, 1))


OTHERS = {
    "bildung": (
        "Höchster Bildungsabschluss",
        "Hauptschulabschluss|Mittlere Reife|Abitur oder Fachabitur|Lehre oder Berufsausbildung|"
        "Hochschulabschluss|(noch) kein Abschluss",
    ),
    "einkommen": (
        "Monatliches Nettoeinkommen des Haushalts",
        "unter 1.000 Euro|1.000 bis unter 2.000 Euro|2.000 bis unter 3.000 Euro|"
        "3.000 bis unter 4.000 Euro|4.000 bis unter 5.000 Euro|5.000 Euro und mehr",
    ),
    "familie": ("Familienstand", "ledig|verheiratet|geschieden|verwitwet"),
    "personen": ("Wie viele Personen leben in Ihrem Haushalt?", "1|2|3|4|5 oder mehr"),
    "ortsgroesse": (
        "Größe des Wohnorts",
        "unter 5.000 Einwohner|5.000 bis unter 20.000|20.000 bis unter 100.000|"
        "100.000 bis unter 500.000|500.000 und mehr",
    ),
    "arbeit": (
        "Sind Sie zurzeit berufstätig?",
        "Vollzeit|Teilzeit|in Ausbildung|im Ruhestand|arbeitssuchend|nicht berufstätig",
    ),
    "note": (
        "Welche Schulnote geben Sie Ihrer Kaffeemarke?",
        "1 = sehr gut|2 = gut|3 = befriedigend|4 = ausreichend|5 = mangelhaft|6 = ungenügend",
    ),
    "preis": (
        "Wie schätzen Sie den Preis Ihrer Kaffeemarke ein?",
        "viel zu niedrig|eher zu niedrig|genau richtig|eher zu hoch|viel zu hoch",
    ),
    "segment": (
        "Segment",
        "Genießer|Pragmatiker|Preisbewusste|Nachhaltige|Vieltrinker|Gelegenheitstrinker",
    ),
    "panel": ("Rekrutierung über", "Telefon|Brief|Website|Empfehlung"),
    "geraet": ("Endgerät", "Smartphone|Tablet|Computer"),
    "sorte": ("Welche Sorte trinken Sie am liebsten?", "Filter|Espresso|Cappuccino|Latte|Tee"),
    "ort": ("一番よくコーヒーを飲む場所はどこですか", "自宅|職場|喫茶店|コンビニ|その他"),
    "jp_alter": ("年代", "10代・20代|30代|40代|50代|60代以上"),
    "jp_beruf": ("ご職業", "会社員|公務員|自営業|専業主婦・主夫|学生|無職"),
}  # fmt: skip


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(Agency().write(folder / "agency.sav"))
