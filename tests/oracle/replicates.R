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
    freedom = degf(design),
    errors = as.numeric(SE(shares)),
    difference = as.numeric(SE(svycontrast(shares, c(1, -1)))),
    middle = as.numeric(SE(svymean(~y, subset(middle, size == "large")))),
    middle_freedom = degf(middle)
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
found <- lapply(designs, function(design) object(lapply(figures(design), number), "  "))
cat(object(found, ""), "\n", sep = "")
