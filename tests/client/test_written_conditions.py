"""Conditions in text: who is in them, counted in pandas, and where the text of a wrong one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client.written_conditions import ConditionError, read_condition
from tests.first_hour.tracker import frame, write
from tests.messages import fails

DF = frame()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    folder = tmp_path_factory.mktemp("conditions")
    with al.open(write(folder), to=folder / "survey", quiet=True) as client:
        yield client


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("gender=Female", DF.gender == 2),
        ("gender=2", DF.gender == 2),
        ("gender != Male", DF.gender == 2),
        ("age>=35", DF.age >= 35),
        ("hhsize=3", DF.hhsize == 3),
        ("q3>=9", DF.q3 >= 9),
        ("q1=Alba and region=North", (DF.q1_1 == 1) & (DF.region == 1)),
        ("gender=Female,region=North|South", (DF.gender == 2) & DF.region.isin([1, 2])),
        ("gender == 'Female' & age >= 35", (DF.gender == 2) & (DF.age >= 35)),
        ("agegrp=55 and over and gender=1", (DF.agegrp == 3) & (DF.gender == 1)),
        ("q5=Very satisfied|Satisfied", DF.q5.isin([4, 5])),
        ("Satisfaction overall=Satisfied or Very satisfied", DF.q5.isin([4, 5])),
        ("`Satisfaction overall` > 3", DF.q5 > 3),
        ("q5>=Satisfied", DF.q5 >= 4),
        ("q5 in [4, 5] and age<40", DF.q5.isin([4, 5]) & (DF.age < 40)),
        ("q5 %in% c(4,5) & !(gender=1)", DF.q5.isin([4, 5]) & (DF.gender == 2)),
        ("gender.isin(['Female'])", DF.gender == 2),
        ("gender not in ['Female']", DF.gender == 1),
        ("q5=98", DF.q5.isna()),
        (
            "(gender=Male or region=West) and wave=4",
            ((DF.gender == 1) | (DF.region == 4)) & (DF.wave == 4),
        ),
        ("gender=Male | region=West", (DF.gender == 1) | (DF.region == 4)),
        ("wave>=3", DF.wave >= 3),
        ("wave=Q1 2026|Q4 2026", DF.wave.isin([1, 4])),
        ("18<=age<=34", DF.age.between(18, 34)),
        ("age=18-34", DF.age.between(18, 34)),
        ("age between 18 and 34", DF.age.between(18, 34)),
        ("age.between(18, 34) and gender=1", DF.age.between(18, 34) & (DF.gender == 1)),
        ("agegrp<55", DF.agegrp <= 2),
        ("q8", DF.q8.notna()),
        ("q8 and gender=Female", DF.q8.notna() & (DF.gender == 2)),
        ("answered(q8)", DF.q8.notna()),
        ("q8.notna() and gender=1", DF.q8.notna() & (DF.gender == 1)),
        ("!is.na(q8)", DF.q8.notna()),
        ("q8 is not missing", DF.q8.notna()),
        ("gender eq 2 and age ge 35", (DF.gender == 2) & (DF.age >= 35)),
        ("region is North", DF.region == 1),
        ("q5=4,5", DF.q5.isin([4, 5])),
        ("q5=4,5, gender=1", DF.q5.isin([4, 5]) & (DF.gender == 1)),
        ("q1_2=1", DF.q1_2 == 1),
        ("q1_2=No", DF.q1_2 == 0),
        ("q4_1>=4", DF.q4_1 >= 4),
        ("region>=3", DF.region >= 3),
        ("client['gender'] == 'Female'", DF.gender == 2),
    ],
)
def test_who_is_in_a_condition(text: str, who: pd.Series, client: al.Client) -> None:
    found = client.size(read_condition(client, text), base_of="everyone")
    assert found.sample == who.sum()


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("gender=Femal", "Femal"),
        ("age>=35 and gendr=Female", "gendr"),
        ("gender=Male|Femal", "Femal"),
        ("q5=7", "7"),
        ("q1=Alba,Corvo", "Corvo"),
        ("Female and age>=35", "Female"),
        ("agegrp>=2", "2"),
        ("age>=old", "old"),
        ("q1>=2", "2"),
        ("q4=Satisfied", "Satisfied"),
        ("wave=Q5 2026", "Q5 2026"),
        ("wave<1", "wave<1"),
        ("(gender=Female", "("),
        ("q5 in [4, 5", ""),
        ("gender=", ""),
        ("=Female", "="),
        ("gender=Female) and age>=35", ")"),
        ("client['gender'] +", ""),
    ],
)
def test_an_error_marks_its_place(text: str, marked: str, client: al.Client) -> None:
    with fails(ConditionError) as caught:
        read_condition(client, text)
    if marked:
        _, shown, marks = str(caught.value).splitlines()
        assert shown[marks.index("^") : marks.rindex("^") + 1] == marked


def test_a_code_of_one_answer_and_score_of_another_is_refused(tmp_path: Path) -> None:
    data = pd.DataFrame({"q": [1, 2, 3, 4, 5] * 20})
    labels = pd.DataFrame(
        {"variable": "q", "value": range(1, 6), "label": ["5", "4", "3", "2", "1"]}
    )
    labels.to_csv(tmp_path / "labels.csv", index=False)
    data.to_csv(tmp_path / "data.csv", index=False)
    with al.open(
        tmp_path / "data.csv", labels=tmp_path / "labels.csv", to=tmp_path / "s", quiet=True
    ) as client:
        # The name that people see comes first.
        assert client.size(read_condition(client, "q=5")).sample == 20
        with fails(ConditionError):
            read_condition(client, "q>=4")
