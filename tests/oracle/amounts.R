# Means, percentiles, sums and scores of amounts with their standard errors, and Rao and Scott's test
# of a table, by R's `survey`.
#
#     Rscript tests/oracle/amounts.R tests/oracle/apistrat.csv > tests/oracle/amounts.json
#
# The schools of `numbers.R`, with clusters and a scale from 0 to 10 that are made up.
library(survey)
options(survey.lonely.psu = "adjust")
d <- read.csv(commandArgs(trailingOnly = TRUE)[1])
number <- seq_len(nrow(d)) - 1
d$cluster <- (number * 7919) %% 101 %% 7
d$psu <- paste(d$stype, d$cluster)
d$score <- (number * 37) %% 101 %% 11
d$nps <- 100 * (d$score >= 9) - 100 * (d$score <= 6)
d$band <- cut(d$api00, c(0, 550, 700, 1000), right = FALSE)
designs <- list(
  none = svydesign(ids = ~1, weights = ~pw, data = d),
  strata = svydesign(ids = ~1, strata = ~stype, weights = ~pw, data = d),
  both = svydesign(ids = ~psu, strata = ~stype, weights = ~pw, data = d)
)
value <- function(x) sprintf("%.12g", as.numeric(x))
list_of <- function(x) paste0("[", paste(value(x), collapse = ", "), "]")
figures <- function(design) {
  parts <- list(
    All = design, Yes = subset(design, awards == "Yes"), No = subset(design, awards == "No"),
    Large = subset(design, enroll >= 500)
  )
  lines <- character()
  for (name in names(parts)) {
    p <- parts[[name]]
    mean <- svymean(~api00, p); total <- svytotal(~enroll, p); nps <- svymean(~nps, p)
    quantile <- svyquantile(~api00, p, c(0.25, 0.5, 0.9), qrule = "school")
    lines <- c(lines, sprintf(
      '    "%s": {"mean": %s, "sum": %s, "nps": %s, "percentiles": %s, "errors": %s}', name,
      list_of(c(coef(mean), SE(mean))), list_of(c(coef(total), SE(total))),
      list_of(c(coef(nps), SE(nps))), list_of(coef(quantile)), list_of(SE(quantile))
    ))
  }
  d <- update(design, one = 1, yes = 1 * (awards == "Yes"), large = 1 * (enroll >= 500),
    api_yes = api00 * (awards == "Yes"), api_large = api00 * (enroll >= 500))
  totals <- svytotal(~ yes + large + api_yes + api_large, d)
  contrast <- svycontrast(totals, quote(api_yes / yes - api_large / large))
  freedom <- degf(subset(design, awards == "Yes" | enroll >= 500))
  difference <- c(coef(contrast), SE(contrast), freedom,
    2 * pt(-abs(as.numeric(coef(contrast)) / as.numeric(SE(contrast))), freedom))
  test <- function(design) {
    f <- svychisq(~ band + awards, design)
    c <- svychisq(~ band + awards, design, statistic = "Chisq")
    list_of(c(f$statistic, f$parameter, f$p.value, c$statistic, c$p.value))
  }
  correlation <- svyvar(~ api00 + enroll, design)
  lines <- c(lines,
    sprintf('    "difference": %s', list_of(difference)),
    sprintf('    "chisq": %s', test(design)),
    sprintf('    "chisq_large": %s', test(subset(design, enroll >= 500))),
    sprintf('    "correlation": %s', value(cov2cor(as.matrix(correlation))[1, 2])))
  paste0("{\n", paste(lines, collapse = ",\n"), "\n  }")
}
found <- vapply(designs, figures, "")
cat("{\n", paste0('  "', names(found), '": ', found, collapse = ",\n"), "\n}\n", sep = "")
