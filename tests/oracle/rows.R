# Rows of a table compared within a column, whose respondents are the same: answers that may be given
# together, and means of items of a grid, by R's `survey`.
#
#     Rscript tests/oracle/rows.R tests/oracle/apistrat.csv > tests/oracle/rows.json
#
# The schools of `amounts.R`, with answers that are made up. `correlation` is of the two items.
library(survey)
options(survey.lonely.psu = "adjust")
d <- read.csv(commandArgs(trailingOnly = TRUE)[1])
number <- seq_len(nrow(d)) - 1
d$psu <- paste(d$stype, (number * 7919) %% 101 %% 7)
d$tea <- 1 * ((number * 31) %% 7 < 4)
d$milk <- 1 * ((number * 17) %% 5 < 2)
d$price <- 1 + (number * 37) %% 101 %% 5
d$taste <- 1 + (number * 53) %% 97 %% 5
designs <- list(
  none = svydesign(ids = ~1, weights = ~pw, data = d),
  strata = svydesign(ids = ~1, strata = ~stype, weights = ~pw, data = d),
  both = svydesign(ids = ~psu, strata = ~stype, weights = ~pw, data = d)
)
list_of <- function(x) paste0("[", paste(sprintf("%.12g", as.numeric(x)), collapse = ", "), "]")
figures <- function(design) {
  difference <- function(formula, part) {
    contrast <- svycontrast(svymean(formula, part), c(1, -1))
    list_of(c(coef(contrast), SE(contrast), degf(part)))
  }
  parts <- list(All = design, Yes = subset(design, awards == "Yes"))
  lines <- vapply(names(parts), function(name) {
    p <- parts[[name]]
    sprintf('    "%s": {"answers": %s, "items": %s}', name, difference(~ tea + milk, p),
      difference(~ price + taste, p))
  }, "")
  correlation <- cov2cor(as.matrix(svyvar(~ price + taste, design)))[1, 2]
  lines <- c(lines, sprintf('    "correlation": %s', sprintf("%.12g", correlation)))
  paste0("{\n", paste(lines, collapse = ",\n"), "\n  }")
}
found <- vapply(designs, figures, "")
cat("{\n", paste0('  "', names(found), '": ', found, collapse = ",\n"), "\n}\n", sep = "")
