# Intervals of shares by R's `survey`, of columns that rest on few clusters and of all respondents, by
# linearisation and by replicate weights.
#
#     python -m tests.oracle.shares | Rscript tests/oracle/shares.R > tests/oracle/shares.json
library(survey)
options(digits = 15)

d <- read.csv(file("stdin"))
for (answer in c("often", "rare")) d[[answer]] <- as.numeric(d[[answer]] == "yes")

designs <- list(
  linearised = svydesign(ids = ~cluster, strata = ~stratum, weights = ~w, data = d, nest = TRUE),
  weights = svydesign(ids = ~1, weights = ~w, data = d),
  BRR = svrepdesign(
    weights = ~w, repweights = d[, paste0("rep", 1:24)], data = d, type = "BRR",
    combined.weights = TRUE, mse = TRUE
  )
)

number <- function(values) paste0("[", paste(sprintf("%.15g", values), collapse = ", "), "]")
ends <- function(formula, part, method) {
  found <- as.numeric(attr(svyciprop(formula, part, method = method, df = degf(part)), "ci"))
  if (method == "beta" || !inherits(part, "svyrep.design")) return(found)
  # svyciprop fits a model to each replicate, and stops at 1e-8; the log odds themselves are exact.
  odds <- withReplicates(part, function(w, data) {
    share <- sum(w * data[[all.vars(formula)]]) / sum(w)
    log(share / (1 - share))
  })
  exact <- plogis(as.numeric(coef(odds)) + c(-1, 1) * qt(0.975, degf(part)) * as.numeric(SE(odds)))
  stopifnot(max(abs(exact / found - 1)) < 1e-7)
  exact
}

lines <- c()
for (name in names(designs)) {
  for (where in c("north", "middle")) {
    part <- subset(designs[[name]], region == where)
    for (answer in c("often", "rare")) {
      formula <- as.formula(paste0("~", answer))
      mean <- svymean(formula, part)
      lines <- c(lines, sprintf(
        '"%s %s %s": {"freedom": %d, "share": %s, "logit": %s, "beta": %s}', name, where, answer,
        as.integer(degf(part)), number(c(coef(mean), SE(mean))), number(ends(formula, part, "logit")),
        number(ends(formula, part, "beta"))
      ))
    }
  }
}
cat("{\n  ", paste(lines, collapse = ",\n  "), "\n}\n", sep = "")
