"""The German and Japanese texts of the agency's survey; all brands are invented."""

from __future__ import annotations

STATES = (
    "Baden-Württemberg", "Bayern", "Berlin", "Brandenburg", "Bremen", "Hamburg", "Hessen",
    "Mecklenburg-Vorpommern", "Niedersachsen", "Nordrhein-Westfalen", "Rheinland-Pfalz",
    "Saarland", "Sachsen", "Sachsen-Anhalt", "Schleswig-Holstein", "Thüringen",
)  # fmt: skip
STATE_SHARES = (134, 159, 44, 31, 8, 22, 76, 19, 97, 215, 50, 12, 48, 26, 35, 24)

BRANDS = (
    "Nordwald", "Brühwerk", "Kaffeehaus Lenz", "Alpenrost", "Fünf Mühlen", "Hafenkontor 1884",
    "Morgenstern", "Rösterei am Dom", "Kolibri", "Sonnfeld Bio", "Schwarzmarie", "Bohne & Söhne",
    "Tante Emmas Hausmischung", "Café Continental", "Elbgold-Speicher", "Drei Linden", "Zeitlos",
    "Kleine Freiheit", "Wiener Tafel", "Bergmannstrunk",
)  # fmt: skip

AGREE = {
    1: "stimme überhaupt nicht zu",
    2: "stimme nicht zu",
    3: "stimme eher nicht zu",
    4: "teils, teils",
    5: "stimme eher zu",
    6: "stimme zu",
    7: "stimme voll und ganz zu",
}
AGREE_JA = {
    1: "全くそう思わない",
    2: "そう思わない",
    3: "あまりそう思わない",
    4: "どちらともいえない",
    5: "ややそう思う",
    6: "そう思う",
    7: "非常にそう思う",
}
SATISFIED = {
    1: "sehr unzufrieden",
    2: "eher unzufrieden",
    3: "weder zufrieden noch unzufrieden",
    4: "eher zufrieden",
    5: "sehr zufrieden",
}
OFTEN = {
    1: "nie",
    2: "seltener als einmal im Monat",
    3: "ein- bis dreimal im Monat",
    4: "einmal in der Woche",
    5: "mehrmals in der Woche",
    6: "täglich oder fast täglich",
}

ATTITUDES = (
    "Ich achte beim Einkauf vor allem auf den Preis",
    "Ich kaufe lieber im Fachgeschäft, auch wenn ich dort etwas mehr bezahle",
    "Beim Kaffee lasse ich mich gern von neuen Sorten überraschen",
    "Gute Qualität darf ruhig etwas mehr kosten als das, was alle anderen haben",
    "Ich informiere mich vor größeren Anschaffungen ausführlich im Internet",
    "Marken geben mir Sicherheit",
    "Ich bleibe einer Marke treu, solange sie mich nicht enttäuscht",
    "Werbung für Lebensmittel finde ich meistens glaubwürdig",
    "Ich achte darauf, dass Produkte aus meiner Region kommen",
    "Bio-Lebensmittel sind ihren höheren Preis wert",
    "Auf unnötige Verpackungen verzichte ich, wo immer es geht",
    "Ich kaufe häufig spontan, ohne vorher eine Liste zu schreiben",
    "Sonderangebote sind für mich ein wichtiger Grund, das Geschäft zu wechseln",
    "Handelsmarken sind heute genauso gut wie Markenprodukte",
    "Beim Einkaufen fühle ich mich oft gehetzt",
    "Ich probiere gern Rezepte aus anderen Ländern aus",
    "Eine persönliche Beratung ist mir wichtiger als eine große Auswahl",
    "Ich bestelle Lebensmittel zunehmend online und lasse sie mir nach Hause liefern",
    "Fairer Handel ist für mich ein entscheidendes Kaufkriterium",
    "Ich vertraue den Empfehlungen von Freunden mehr als jedem Testbericht",
    "Gemeinsames Essen ist in unserem Haushalt ein fester Bestandteil des Tages",
    "Für meine Gesundheit verzichte ich bewusst auf Zucker",
    "Kaffee ist für mich in erster Linie ein Wachmacher",
    "Kaffee ist für mich vor allem Genuss",
    "Ich weiß bei den meisten Lebensmitteln, was sie kosten",
    "Neue Produkte probiere ich meist früher aus als andere Menschen in meinem Umfeld",
    "Ich sammle Treuepunkte und löse sie auch ein",
    "Selbstbedienungskassen nutze ich, wann immer sie angeboten werden",
    "Klimafreundliche Herstellung beeinflusst, welche Marke ich kaufe",
    "Ich koche fast jeden Tag mit frischen Zutaten",
)
ATTITUDES_JA = (
    "新しい商品が発売されるとすぐに試したくなる",
    "価格が高くても品質の良いものを選ぶ",
    "環境に配慮した商品を選ぶようにしている",
    "有名なブランドの商品は安心できる",
    "買い物をする前に口コミを必ず確認する",
    "国産の原材料にこだわっている",
    "ポイントが貯まる店を優先して利用する",
    "健康のために食事の内容に気をつけている",
    "時間をかけて料理をするのが好きだ",
    "インターネットで食品を購入することに抵抗はない",
    "家族の意見を聞いてから商品を決める",
    "広告で見た商品を買うことが多い",
    "限定商品という言葉に弱い",
    "コーヒーを飲む時間は自分にとって大切な休息である",
    "包装の少ない商品を選びたい",
    "一度気に入ったブランドは長く使い続ける",
    "店員に相談しながら買い物をしたい",
    "流行には敏感なほうだ",
    "衝動買いをしてしまうことがよくある",
    "節約を心がけている",
    "友人や知人からすすめられた商品は信頼できる",
    "外食よりも自宅で食事をするほうが好きだ",
    "地元の商店を応援したい",
    "商品の原産地や製造方法を確認してから購入する",
    "便利であれば多少高くてもかまわない",
    "添加物の少ない食品を選ぶ",
    "キャッシュレス決済を日常的に利用している",
    "季節ごとの商品を楽しみにしている",
    "量よりも質を重視する",
    "自分の好みに合わせて選べる商品に魅力を感じる",
)
SERVICES = (
    "Freundlichkeit des Personals", "Auswahl an Produkten", "Verhältnis von Preis und Leistung",
    "Sauberkeit der Filiale", "Wartezeit an der Kasse", "Erreichbarkeit mit Bus und Bahn",
    "Öffnungszeiten", "Umgang mit Reklamationen", "Übersichtlichkeit der App", "Parkplätze",
)  # fmt: skip
ACTIVITIES = (
    "Kaffee außer Haus trinken", "im Supermarkt einkaufen", "auf dem Wochenmarkt einkaufen",
    "Lebensmittel online bestellen", "Essen liefern lassen", "im Restaurant essen",
    "selbst backen", "Sport treiben", "Podcasts hören", "lineares Fernsehen schauen",
    "Videos streamen", "eine gedruckte Zeitung lesen",
)  # fmt: skip
MEDIA_JA = (
    "地上波テレビ", "動画配信サービス", "新聞（紙）", "新聞（電子版）", "ラジオ", "ポッドキャスト",
    "雑誌", "交通広告（電車・バスの車内広告や駅構内のポスター）", "屋外広告", "検索サイト",
    "写真や動画を共有するソーシャルメディア", "メッセージアプリ", "ブログ", "店頭", "その他",
)  # fmt: skip
CHANNELS = (
    "Supermarkt", "Discounter", "Drogeriemarkt", "Rösterei oder Fachgeschäft",
    "Online-Shop eines Händlers", "Online-Shop der Marke", "Abonnement", "Tankstelle",
    "Großhandel", "an einem anderen Ort",
)  # fmt: skip
IMAGE = (
    "ist modern", "ist ihr Geld wert", "passt zu mir", "steht für Nachhaltigkeit",
    "hat Tradition", "schmeckt besser als andere", "ist etwas Besonderes",
    "ist überall erhältlich", "handelt verantwortungsvoll gegenüber Erzeugerinnen und Erzeugern",
    "würde ich weiterempfehlen",
)  # fmt: skip
INDUSTRIES = (
    "Land- und Forstwirtschaft, Fischerei", "Bergbau und Gewinnung von Steinen und Erden",
    "Herstellung von Nahrungs- und Futtermitteln, Getränken und Tabakwaren",
    "Textilien, Bekleidung, Leder", "Holz, Papier, Druckerzeugnisse", "Chemische Industrie",
    "Pharmazeutische Industrie", "Gummi- und Kunststoffwaren", "Glas, Keramik, Steine",
    "Metallerzeugung und -bearbeitung", "Elektronik und Optik", "Elektrische Ausrüstungen",
    "Maschinenbau", "Fahrzeugbau und Zulieferer", "Möbel und sonstige Waren",
    "Energieversorgung", "Wasser, Abwasser und Beseitigung von Umweltverschmutzungen",
    "Hochbau", "Tiefbau", "Ausbaugewerbe", "Handel mit Kraftfahrzeugen", "Großhandel",
    "Einzelhandel", "Landverkehr", "Schifffahrt und Luftfahrt", "Lagerei und Logistik",
    "Post-, Kurier- und Expressdienste", "Gastgewerbe", "Verlage, Film und Rundfunk",
    "Telekommunikation", "Informationsdienstleistungen", "Banken und Versicherungen",
    "Grundstücks- und Wohnungswesen", "Rechts-, Steuer- und Unternehmensberatung",
    "Forschung und Entwicklung", "Werbung und Marktforschung", "Öffentliche Verwaltung",
    "Erziehung und Unterricht", "Gesundheits- und Sozialwesen",
    "Kunst, Unterhaltung und Erholung",
)  # fmt: skip
GOODS = (
    "Kaffeevollautomat", "Siebträgermaschine", "Filterkaffeemaschine", "Kapselmaschine",
    "Kaffeemühle", "Milchaufschäumer", "Wasserkocher", "Geschirrspüler", "Elektroauto",
    "Fahrrad mit Elektromotor", "Balkon oder Garten", "Haustier", "Smartwatch", "Tablet",
    "Spielekonsole", "Lautsprecher mit Sprachsteuerung", "Wärmepumpe", "Solaranlage",
    "Streaming-Abonnement", "Zeitungsabonnement",
)  # fmt: skip
HOSTILE = (
    "=1+1",
    "<b>Fettgedruckt</b> & <script>alert(1)</script>",
    "Ein sehr langer Antworttext, der in keine Spalte passt und den niemand gekürzt hat, weil er "
    "so im Fragebogen stand",
    "Sehr gut 👍🏽☕",
    "שלום, לא שותה קפה",
    "@SUM(A1:A9)",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
)
SYLLABLES = (
    (
        "Ahren", "Birken", "Buchen", "Dornen", "Eichen", "Erlen", "Falken", "Fischen", "Gräfen",
        "Hasel", "Hirsch", "Jäger", "Kirch", "Königs", "Linden", "Mühl", "Neuen", "Ober", "Rosen",
        "Schön", "Stein", "Unter", "Vogel", "Wald", "Ziegen",
    ),
    (
        "au", "bach", "berg", "brück", "büttel", "burg", "dorf", "feld", "furt", "hagen", "hausen",
        "heim", "hofen", "kirchen", "ow", "rode", "stadt", "stedt", "thal", "walde",
    ),
)  # fmt: skip
TOWNS = tuple(first + last for first in SYLLABLES[0] for last in SYLLABLES[1])

OPEN = (
    "", "", "", "", "Der Kaffee schmeckt mir.", "Zu teuer geworden.", "値段が高い。", "keine",
    "Mehr Auswahl an entkoffeinierten Sorten wäre schön.", "=HYPERLINK(\"http://example.org\")",
)  # fmt: skip
