# Shares standardised to the composition of the whole sample, by R's `svystandardize`.
#
#     python -m tests.oracle.design > design.csv; python -m tests.oracle.replicates > schools.csv
#     Rscript tests/oracle/standardised.R design.csv schools.csv > tests/oracle/standardised.json
#
# The Household Pulse sample by age and sex, drawn in two ways as in `design.R`, and California's
# schools by type and awards, with replicate weights as in `replicates.R`.
library(survey)
options(survey.lonely.psu = "adjust", digits = 15)

files <- commandArgs(trailingOnly = TRUE)

# Share, its error and degrees of freedom of an audience and of everyone else, and their difference.
figures <- function(design, by, row, audience) {
  design <- eval(bquote(update(design, audience = factor(.(audience)), y = as.numeric(.(row)))))
  population <- as.vector(svytable(by, design))
  adjusted <- suppressWarnings(
    svystandardize(design, by = by, over = ~audience, population = population)
  )
  adjusted <- update(
    adjusted, a = as.numeric(audience == TRUE), r = as.numeric(audience == FALSE)
  )
  adjusted <- update(adjusted, ya = y * a, yr = y * r)
  total <- svytotal(~ a + r + ya + yr, adjusted)
  # `svyby(covmat = TRUE)` fails for designs that are standardised.
  difference <- svycontrast(total, quote(ya / a - yr / r))
  shares <- lapply(c(TRUE, FALSE), function(of) svymean(~y, subset(adjusted, audience == of)))
  freedom <- sapply(c(TRUE, FALSE), function(of) degf(subset(adjusted, audience == of)))
  t <- as.numeric(coef(difference)) / as.numeric(SE(difference))
  list(
    shares = sapply(shares, coef),
    errors = sapply(shares, SE),
    difference = as.numeric(coef(difference)),
    error = as.numeric(SE(difference)),
    freedom = freedom,
    p = 2 * pt(-abs(t), min(freedom))
  )
}

d <- read.csv(files[1])
d$cluster <- ifelse(d$EST_ST == 56, 0, (d$number * 7919) %% 101 %% 6)
d$stratum <- paste(d$WEEK, d$EST_ST)
d$psu <- paste(d$stratum, d$cluster)
d$age <- factor(findInterval(d$TBIRTH_YEAR, c(1955, 1970, 1985, 2002)), levels = 0:4)
d$sex <- factor(d$EGENID_BIRTH)
weights <- svydesign(ids = ~1, strata = ~WEEK, weights = ~PWEIGHT, data = d)
both <- svydesign(ids = ~psu, strata = ~stratum, weights = ~PWEIGHT, data = d, nest = TRUE)

s <- read.csv(files[2])
schools <- function(type, ...) {
  svrepdesign(
    weights = ~pw, repweights = s[, paste0("rep", 1:24)], data = s, type = type,
    combined.weights = TRUE, mse = TRUE, ...
  )
}

people <- function(design) {
  list(
    hispanic = figures(design, ~ age + sex, quote(EXPNS_DIF == 4), quote(RHISPANIC == 2)),
    west = figures(design, ~ age + sex, quote(EXPNS_DIF == 1), quote(REGION == 4)),
    # The youngest cells have nobody of this audience.
    born = figures(design, ~ age + sex, quote(EXPNS_DIF == 4), quote(TBIRTH_YEAR < 2002 & REGION == 4))
  )
}
by_school <- function(design) {
  list(large = figures(design, ~ stype + awards, quote(api00 >= 650), quote(enroll >= 500)))
}
found <- list(
  weights = people(weights),
  both = people(both),
  BRR = by_school(schools("BRR")),
  Fay = by_school(schools("Fay", rho = 0.5)),
  fpc = by_school(svydesign(ids = ~1, strata = ~stype, weights = ~pw, fpc = ~fpc, data = s))
)

number <- function(values) {
  text <- paste(sprintf("%.15g", values), collapse = ", ")
  if (length(values) > 1) paste0("[", text, "]") else text
}
object <- function(members, indent) {
  inner <- paste0('"', names(members), '": ', unlist(members), collapse = paste0(",\n", indent, "  "))
  paste0("{\n", indent, "  ", inner, "\n", indent, "}")
}
found <- lapply(found, function(design) {
  object(lapply(design, function(each) object(lapply(each, number), "    ")), "  ")
})
cat(object(found, ""), "\n", sep = "")
