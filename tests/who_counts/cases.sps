* The twelve cases by PSPP: FREQUENCIES and CROSSTABS, whose missing rules are those of SPSS.
*
*     python -m tests.who_counts.pspp
*
* runs this and stores the shares in pspp.json. The label of a variable is "case|row".
GET DATA /TYPE=TXT /FILE='patterns/new_brand.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=wave F8 sex F8 alba F8 bern F8 dora F8 n F8.
WEIGHT BY n.
VARIABLE LABELS alba 'new_brand|Alba'.
VARIABLE LABELS bern 'new_brand|Bern'.
VARIABLE LABELS dora 'new_brand|Dora'.
FREQUENCIES alba bern dora.
CROSSTABS alba bern dora BY sex /CELLS=COUNT.
CROSSTABS alba bern dora BY wave /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/new_grid_item.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=wave F8 sex F8 taste F8 price F8 service F8 n F8.
WEIGHT BY n.
COMPUTE taste1 = taste = 1.
VARIABLE LABELS taste1 'new_grid_item|Taste: Good'.
COMPUTE taste2 = taste = 2.
VARIABLE LABELS taste2 'new_grid_item|Taste: Fair'.
COMPUTE price1 = price = 1.
VARIABLE LABELS price1 'new_grid_item|Price: Good'.
COMPUTE service1 = service = 1.
VARIABLE LABELS service1 'new_grid_item|Service: Good'.
COMPUTE service2 = service = 2.
VARIABLE LABELS service2 'new_grid_item|Service: Fair'.
COMPUTE service3 = service = 3.
VARIABLE LABELS service3 'new_grid_item|Service: Bad'.
FREQUENCIES taste1 taste2 price1 service1 service2 service3.
CROSSTABS taste1 taste2 price1 service1 service2 service3 BY sex /CELLS=COUNT.
CROSSTABS taste1 taste2 price1 service1 service2 service3 BY wave /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/new_answer.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=wave F8 sex F8 plan F8 n F8.
WEIGHT BY n.
COMPUTE plan1 = plan = 1.
VARIABLE LABELS plan1 'new_answer|Basic'.
COMPUTE plan2 = plan = 2.
VARIABLE LABELS plan2 'new_answer|Plus'.
COMPUTE plan3 = plan = 3.
VARIABLE LABELS plan3 'new_answer|Max'.
FREQUENCIES plan1 plan2 plan3.
CROSSTABS plan1 plan2 plan3 BY sex /CELLS=COUNT.
CROSSTABS plan1 plan2 BY wave /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/rotated.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=sex F8 tea F8 milk F8 beer F8 n F8.
WEIGHT BY n.
VARIABLE LABELS tea 'rotated|Tea'.
VARIABLE LABELS milk 'rotated|Milk'.
VARIABLE LABELS beer 'rotated|Beer'.
* MAX.2 is missing unless both are there; MAX takes what is there.
COMPUTE both = MAX.2(tea, milk).
VARIABLE LABELS both 'rotated|Tea or Milk'.
COMPUTE either = MAX(tea, milk).
VARIABLE LABELS either 'rotated|Tea, or Milk'.
FREQUENCIES tea milk beer both either.
CROSSTABS tea milk beer both either BY sex /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/not_routed.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=sex F8 used F8 n F8.
WEIGHT BY n.
COMPUTE yes = used = 1.
VARIABLE LABELS yes 'not_routed|Yes'.
COMPUTE noyes = NOT (used = 1).
VARIABLE LABELS noyes 'not_routed|not Yes'.
FREQUENCIES yes noyes.
CROSSTABS yes noyes BY sex /CELLS=COUNT.
SELECT IF noyes.
COMPUTE woman = sex = 1.
VARIABLE LABELS woman 'not_routed of not Yes|Woman'.
COMPUTE man = sex = 2.
VARIABLE LABELS man 'not_routed of not Yes|Man'.
FREQUENCIES woman man.
GET DATA /TYPE=TXT /FILE='patterns/growing_net.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=wave F8 alba F8 bern F8 dora F8 n F8.
WEIGHT BY n.
VARIABLE LABELS alba 'growing_net|Alba'.
VARIABLE LABELS bern 'growing_net|Bern'.
VARIABLE LABELS dora 'growing_net|Dora'.
IF wave = 1 net = alba.
IF wave = 2 net = MAX.2(alba, dora).
VARIABLE LABELS net 'growing_net|Alba or Dora'.
FREQUENCIES alba bern dora net.
CROSSTABS alba bern dora net BY wave /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/renamed.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=wave F8 rating F8 n F8.
WEIGHT BY n.
COMPUTE rating1 = rating = 1.
VARIABLE LABELS rating1 'renamed|Good'.
COMPUTE rating2 = rating = 2.
VARIABLE LABELS rating2 'renamed|Bad'.
COMPUTE rating3 = rating = 3.
VARIABLE LABELS rating3 'renamed|Great'.
FREQUENCIES rating1 rating2 rating3.
CROSSTABS rating2 BY wave /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/routed.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=sex F8 agrees F8 n F8.
WEIGHT BY n.
COMPUTE yes = agrees = 1.
VARIABLE LABELS yes 'routed|Yes'.
COMPUTE no = agrees = 2.
VARIABLE LABELS no 'routed|No'.
FREQUENCIES yes no.
CROSSTABS yes no BY sex /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/column_missing.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=sex F8 likes F8 n F8.
WEIGHT BY n.
COMPUTE yes = likes = 1.
VARIABLE LABELS yes 'column_missing|Yes'.
COMPUTE no = likes = 2.
VARIABLE LABELS no 'column_missing|No'.
FREQUENCIES yes no.
CROSSTABS yes no BY sex /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/missing_in_set.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=tv F8 radio F8 n F8.
WEIGHT BY n.
MISSING VALUES tv radio (9).
VARIABLE LABELS tv 'missing_in_set|TV'.
VARIABLE LABELS radio 'missing_in_set|Radio'.
FREQUENCIES tv radio.
GET DATA /TYPE=TXT /FILE='patterns/at_least.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=wave F8 tea F8 milk F8 beer F8 water F8 n F8.
WEIGHT BY n.
VARIABLE LABELS tea 'at_least|Tea'.
IF wave = 2 two = SUM.2(tea, milk) >= 2.
IF wave = 3 two = SUM.3(tea, milk, beer) >= 2.
VARIABLE LABELS two 'at_least|two'.
FREQUENCIES tea two.
CROSSTABS tea two BY wave /CELLS=COUNT.
GET DATA /TYPE=TXT /FILE='patterns/weight_zero.csv' /ARRANGEMENT=DELIMITED /DELIMITERS=','
  /FIRSTCASE=2 /VARIABLES=sex F8 likes F8 w F8 n F8.
COMPUTE weight = n * w.
WEIGHT BY weight.
COMPUTE yes = likes = 1.
VARIABLE LABELS yes 'weight_zero|Yes'.
COMPUTE no = likes = 2.
VARIABLE LABELS no 'weight_zero|No'.
FREQUENCIES yes no.
CROSSTABS yes no BY sex /CELLS=COUNT.
