# Differences between the waves of a panel, whose persons are paired, by R's `survey`.
#
#     python -m tests.oracle.panel | Rscript tests/oracle/panel.R > tests/oracle/panel.json
library(survey)
options(digits = 15, survey.lonely.psu = "adjust")

d <- read.csv(file("stdin"))
d$y1 <- as.numeric(d$y == "yes")
d$wave <- factor(d$wave)
designs <- list(
  persons = svydesign(ids = ~pid, weights = ~pw, data = d),
  alike = svydesign(ids = ~pid, weights = ~1, data = d),
  strata = svydesign(ids = ~pid, strata = ~stratum, weights = ~pw, data = d),
  clusters = svydesign(ids = ~cluster, strata = ~stratum, weights = ~pw, data = d, nest = TRUE),
  replicates = svrepdesign(
    weights = ~pw, repweights = d[, paste0("rep", 1:20)], data = d, type = "JK1",
    scale = 19 / 20, combined.weights = TRUE, mse = TRUE
  )
)

# Of waves 1 and 2, and of 2 and 3.
figures <- function(design) {
  shares <- svyby(~y1, ~wave, design, svymean, covmat = TRUE)
  scores <- svyby(~score, ~wave, design, svymean, covmat = TRUE)
  north <- svyby(~y1, ~wave, subset(design, region == "north"), svymean, covmat = TRUE)
  regions <- svyby(~y1, ~region, design, svymean, covmat = TRUE)
  contrast <- function(of, by) {
    found <- svycontrast(of, by)
    c(coef(found), SE(found))
  }
  list(
    errors = as.numeric(SE(shares)),
    first = contrast(shares, c(-1, 1, 0)),
    second = contrast(shares, c(0, -1, 1)),
    north = contrast(north, c(-1, 1, 0)),
    scores = contrast(scores, c(-1, 1, 0)),
    regions = c(SE(regions), SE(svycontrast(regions, c(1, -1)))),
    freedom = c(
      degf(design), degf(subset(design, wave %in% c("1", "2"))),
      degf(subset(design, wave %in% c("1", "2") & region == "north"))
    )
  )
}

number <- function(values) {
  paste0("[", paste(sprintf("%.15g", as.numeric(values)), collapse = ", "), "]")
}
found <- vapply(designs, function(design) {
  members <- vapply(figures(design), number, "")
  paste0("{\n", paste0('    "', names(members), '": ', members, collapse = ",\n"), "\n  }")
}, "")
cat("{\n", paste0('  "', names(found), '": ', found, collapse = ",\n"), "\n}\n", sep = "")
