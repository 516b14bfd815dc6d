# Intervals and differences of means, percentiles, sums and scores by R's `survey`: of schools in
# strata and clusters, and of the same with jackknife and with bootstrap replicate weights.
#
#     python -m tests.oracle.test_precision_of_amounts > schools.csv
#     Rscript tests/oracle/precision_of_amounts.R schools.csv > tests/oracle/precision_of_amounts.json
library(survey)
options(survey.lonely.psu = "adjust", digits = 15)
d <- read.csv(commandArgs(trailingOnly = TRUE)[1])
d$nps <- 100 * (d$score >= 9) - 100 * (d$score <= 6)
names <- grep("^rep", names(d), value = TRUE)
linear <- function(lonely) {
  options(survey.lonely.psu = lonely)
  svydesign(ids = ~psu, strata = ~stratum, weights = ~pw, data = d)
}
designs <- list(
  adjust = linear("adjust"), certainty = linear("certainty"),
  replicates = svrepdesign(
    weights = ~pw, repweights = d[, names], data = d, type = "bootstrap", combined.weights = TRUE,
    mse = TRUE
  )
)
number <- function(x) {
  x <- as.numeric(x)
  text <- ifelse(is.nan(x), "NaN", sprintf("%.15g", x))
  paste0("[", paste(text, collapse = ", "), "]")
}
object <- function(members) paste0("{", paste0('"', names(members), '": ', unlist(members), collapse = ", "), "}")
ends <- function(found, level, freedom) {
  t <- qt((1 + level) / 2, freedom)
  number(c(coef(found), SE(found), coef(found) - t * SE(found), coef(found) + t * SE(found)))
}
figures <- function(name) {
  options(survey.lonely.psu = if (name == "certainty") "certainty" else "adjust")
  design <- designs[[name]]
  one <- function(where) {
    p <- subset(design, where)
    f <- degf(p)
    quantile <- function(part, level) {
      found <- svyquantile(~api00, p, part, alpha = 1 - level, qrule = "school", df = f)
      number(c(coef(found), confint(found)))
    }
    object(list(
      freedom = number(f), mean = ends(svymean(~api00, p), 0.95, f),
      nps = ends(svymean(~nps, p), 0.9, f), sum = ends(svytotal(~enroll, p), 0.95, f),
      median = quantile(0.5, 0.95), lower = quantile(0.25, 0.9), upper = quantile(0.9, 0.95)
    ))
  }
  # Two sets: one column, and what it is compared with.
  apart <- function(first, second) {
    p <- update(design, a = 1 * first, b = 1 * second, ya = api00 * first, yb = api00 * second,
      na = nps * first, nb = nps * second, sa = enroll * first, sb = enroll * second)
    difference <- function(formula, expression) {
      if (inherits(p, "svyrep.design")) {
        # svycontrast of totals with replicates is linearised: ratios are replicated themselves.
        totals <- function(w, data) lapply(data[all.vars(formula)], function(y) sum(w * y))
        found <- withReplicates(p, function(w, data) eval(expression, totals(w, data)))
        return(number(c(coef(found), SE(found))))
      }
      found <- svycontrast(svytotal(formula, p), expression)
      number(c(coef(found), SE(found)))
    }
    object(list(
      mean = difference(~ a + b + ya + yb, quote(ya / a - yb / b)),
      nps = difference(~ a + b + na + nb, quote(na / a - nb / b)),
      sum = difference(~ sa + sb, quote(sa - sb)),
      both = number(degf(subset(design, first | second))),
      smaller = number(min(degf(subset(design, first)), degf(subset(design, second))))
    ))
  }
  design <- update(design, low = api00 < 550, large = enroll >= 500)
  test <- svychisq(~ low + awards, design)
  both <- svymean(~ low + large, design)
  rows <- svycontrast(both, c(0, 1, 0, -1))
  yes <- d$awards == "Yes"; large <- d$enroll >= 500
  object(list(
    All = one(rep(TRUE, nrow(d))), Yes = one(yes), Large = one(large),
    columns = apart(yes, large), rest = apart(large, !large),
    independence = number(c(test$statistic, test$parameter, test$p.value)),
    rows = number(c(coef(rows), SE(rows)))
  ))
}
cat(object(setNames(lapply(names(designs), figures), names(designs))), "\n")
