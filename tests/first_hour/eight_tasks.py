# pyright: basic
"""Eight tasks of a first week with a survey, as one script: `python eight_tasks.py FILE FOLDER`."""

import sys
from pathlib import Path

import audiencelab as al

file, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)

# A file of one's own, with its design named and what the card proposed corrected.
client = al.open(file, weight="weight", strata="region", clusters="psu")
client.edit("agegrp", scores={"55 and over": 66})
client.edit("q8", name="Why people leave")

gender, age, satisfied = client["gender"], client["age"], client["q5"]
women = (gender == "Female").named("Women")
young = age.between(18, 34).named("18 to 34")
promoters = (client["q3"] >= 9).named("Promoters")

# 1. A banner workbook with letters, every question on its own base, top boxes and means as rows.
book = client.tab_book(
    ["Total", "gender", al.nest("gender", "agegrp")],
    ["q5", "q3", "q8", "q1", "q4"],
    rows={"scale": ["answers", "top 2", "mean"], "grid": ["top 2"]},
    to=folder / "banner.xlsx",
)
print(len(book), "tables; q8 of", book["q8"].base_sample, "respondents")
print(client.design)

table = client.crosstab([satisfied, satisfied.top_box(2), satisfied.mean()], ["Total", gender])
letters = table.test(levels=[0.95, 0.9])
table.to_excel(folder / "satisfaction.xlsx", comparison=letters, sort="descending", decimals=0)
print(table.to_markdown(metrics=["column"], comparison=letters))

# 2. A deck of five charts, each of the kind that its figures ask for.
by_age = client.crosstab("q2", "agegrp")
waves = client.trend("q2")
by_age.to_pptx(folder / "deck.pptx", chart="bar", title="Brands")
client.grid("q4").to_pptx(folder / "deck.pptx", template=folder / "deck.pptx", chart="stack")
client.mean("q3", by="agegrp").table.to_pptx(
    folder / "deck.pptx", template=folder / "deck.pptx", chart="auto"
)
waves.to_pptx(folder / "deck.pptx", template=folder / "deck.pptx", chart="line")
client.crosstab("q5", "agegrp").to_pptx(
    folder / "deck.pptx", template=folder / "deck.pptx", chart="auto"
)
by_age.chart.auto(title="Brand used most").save(folder / "brands.svg")
both = by_age.chart.bar(sort="value") | client.crosstab(age.mean(), "region").chart.points()
both.save(folder / "two.html")

# 3. The profile of an audience, and who it is when age and gender are made equal.
profile = client.profile(promoters, ["gender", "agegrp", "region", "q1"])
print(profile.ranked(limit=5))
print(client.profile(promoters, ["region"], adjust=["agegrp"]).to_frame().shape)
profile.to_excel(folder / "promoters.xlsx")
known = client.turf("q1", size=2)
print(known.to_frame().head(3))
print(client.overlap([women, promoters]).to_frame())

# 4. Weighting to known margins, before and after.
raked = al.open(file, weight="weight", to=folder / "raked")
weights = raked.rake(
    {"gender": {"Male": 49, "Female": 51}, "region": {1: 40, 2: 30, 3: 20, 4: 10}}, cap=5
)
print(weights)
for weight in ("weight", "raked", None):
    print(weight, raked.stats("gender", weight=weight).to_wide("column").round(1))

# 5. Tracking: the wave before, waves in groups, moving averages, means and scores by wave.
tracked = client.crosstab("q5", al.nest("gender", "waves"))
print(tracked.test(vs="previous wave").to_wide().shape)
print(client.nps("q3", by="waves"))
print(client.mean("age", by=["gender", "waves"]).to_frame().head())
smooth = client.trend("q2").moving_average(2)
print(smooth.to_wide().round(1))

# 6. A lesson: a share, its interval, a mean and a correlation; then the whole as Table 1.
print(client.proportion(women), client.mean("age", by="gender").test())
half = float(client["age"].median())
older = client.filter(age >= half)
print(older, older.size().sample, round(older["income"].mean(), 1))
print(client.correlation("age", "income", by="gender"))
table_1 = client.summary_table(["age", "income", "q5", "q1"], by="gender")
table_1.to_excel(folder / "table-1.xlsx")
print(table_1.to_markdown())

# 7. A recording, replayed without the file.
with client.recording(folder / "analysis.audiencelab.jsonl"):
    first = client.crosstab("q5", "gender", base_audience=young)
again = al.connect(snapshot=folder / "analysis.audiencelab.jsonl")
same = again.crosstab("q5", "gender", base_audience=young)
assert first.to_frame().equals(same.to_frame())

# 8. The same questions to a service over HTTP, which serves this survey here.
with al.serve(folder / "raked") as url, al.connect(url) as remote:
    theirs = remote.crosstab(["q5", remote["q3"].nps()], "gender")
    ours = raked.crosstab(["q5", raked["q3"].nps()], "gender")
    assert theirs.to_frame().equals(ours.to_frame())
    print(theirs.test().to_wide().shape, remote.size(women).percentage)
    print(remote.filter(women).mean("age", by="region"))
    saved = remote.charts.create("Brands by age", attributes=["q2"], audiences=[women, young])
    print(remote.charts.calculate(saved.id).to_frame().head())
