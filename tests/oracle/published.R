# Standard errors of the two real surveys in notebooks/data, for tests/oracle/test_published.py and two notebooks.
#   Rscript tests/oracle/published.R > tests/oracle/published.json
suppressMessages(library(survey))
options(survey.lonely.psu = "adjust")

men <- read.csv(
  gzfile("notebooks/data/masculinity_2018/raw-responses.csv.gz"),
  fileEncoding = "latin1", na.strings = "NA"
)
of_men <- svydesign(ids = ~1, weights = ~weight, data = men)
by_age <- svyby(~I(q0001 == "Very masculine"), ~age3, of_men, svymean)

visits <- read.csv(gzfile("notebooks/data/ambulatory_care_2019/visits.csv.gz"))
for (column in c("AGER", "SEX", "MDDO", "SPECCAT", "MSA")) visits[[column]] <- factor(visits[[column]])
of_visits <- svydesign(ids = ~CPSUM, strata = ~CSTRATM, weights = ~PATWT, data = visits)

written <- function(names, errors) {
  parts <- sprintf('  "%s": %s', names, format(100 * unname(errors), digits = 15, trim = TRUE))
  paste(parts, collapse = ",\n")
}
parts <- written(paste("Very masculine,", by_age$age3), by_age[["se.I(q0001 == \"Very masculine\")TRUE"]])
for (column in c("AGER", "SEX", "MDDO", "SPECCAT", "MSA")) {
  means <- svymean(reformulate(column), of_visits)
  parts <- c(parts, written(levels(visits[[column]]), SE(means)))
}
cat("{\n", paste(parts, collapse = ",\n"), "\n}\n", sep = "")
