# Standard errors of R's `apistrat` by replicate weights, and with finite population corrections, by
# R's `survey`.
#
#     python -m tests.oracle.replicates | Rscript tests/oracle/replicates.R > tests/oracle/replicates.json
library(survey)
options(digits = 15)

d <- read.csv(file("stdin"))
d$y <- as.numeric(d$grade == "high")
names <- paste0("rep", 1:24)
rscales <- (1:24) / 20

replicated <- function(type, ...) {
  svrepdesign(
    weights = ~pw, repweights = d[, names], data = d, type = type, combined.weights = TRUE,
    mse = TRUE, ...
  )
}
designs <- list(
  BRR = replicated("BRR"),
  Fay = replicated("Fay", rho = 0.5),
  JK1 = replicated("JK1", scale = 23 / 24),
  JK2 = replicated("JK2"),
  JKn = replicated("JKn", rscales = rscales, scale = 1),
  bootstrap = replicated("bootstrap"),
  successive = replicated("successive-difference"),
  fpc = svydesign(ids = ~1, strata = ~stype, weights = ~pw, fpc = ~fpc, data = d),
  no_fpc = svydesign(ids = ~1, strata = ~stype, weights = ~pw, data = d)
)

figures <- function(design) {
  shares <- svyby(~y, ~size, design, svymean, covmat = TRUE)
  middle <- subset(design, stype == "M")
  list(
    freedom = c(degf(subset(design, size == "large")), degf(subset(design, size == "small"))),
    pair_freedom = degf(design),
    errors = as.numeric(SE(shares)),
    difference = as.numeric(SE(svycontrast(shares, c(1, -1)))),
    middle = as.numeric(SE(svymean(~y, subset(middle, size == "large")))),
    middle_freedom = c(
      degf(subset(middle, size == "large")), degf(subset(middle, size == "small"))
    )
  )
}

# Means, percentiles and sums by column, differences of columns and of rows, and a test of the table.
amounts <- function(design) {
  design <- update(
    design, big = as.numeric(size == "large"), won = as.numeric(awards == "Yes"), high = y
  )
  means <- svyby(~api00, ~size, design, svymean, covmat = TRUE)
  median <- svyquantile(~api00, subset(design, size == "large"), c(0.25, 0.5), qrule = "school")
  both <- svymean(~ high + won, subset(design, size == "large"))
  scores <- svymean(~ api00 + enroll, design)
  test <- svychisq(~ grade + awards, design)
  list(
    mean = c(coef(means), SE(means), SE(svycontrast(means, c(1, -1)))),
    sum = c(coef(svytotal(~enroll, design)), SE(svytotal(~enroll, design))),
    percentiles = c(coef(median), SE(median)),
    rows = c(coef(svycontrast(both, c(1, -1))), SE(svycontrast(both, c(1, -1)))),
    scores = SE(svycontrast(scores, c(1, -1))),
    independence = c(test$statistic, test$parameter, test$p.value)
  )
}

number <- function(values) {
  text <- paste(sprintf("%.15g", values), collapse = ", ")
  if (length(values) > 1) paste0("[", text, "]") else text
}
object <- function(members, indent) {
  inner <- paste0('"', names(members), '": ', unlist(members), collapse = paste0(",\n", indent, "  "))
  paste0("{\n", indent, "  ", inner, "\n", indent, "}")
}
found <- lapply(designs, function(design) {
  object(lapply(c(figures(design), amounts(design)), function(x) number(as.numeric(x))), "  ")
})
cat(object(found, ""), "\n", sep = "")
