# Weights of R's `apistrat` raked by R's `survey`, with limits too, and standard errors after that.
#
#     python -m tests.oracle.calibrated | Rscript tests/oracle/calibrated.R > tests/oracle/calibrated.json
suppressMessages(library(survey))
options(digits = 15)

d <- read.csv(file("stdin"), na.strings = "")
d$y <- as.numeric(d$grade == "high")
d$stype <- factor(d$stype, c("E", "M", "H"))
d$size <- factor(d$size, c("large", "small"))
d$full <- factor(ifelse(is.na(d$awards), "none", d$awards), c("Yes", "No", "none"))
d$cell <- interaction(d$stype, d$full, drop = TRUE)
N <- 6194
alone <- function(data = d) svydesign(ids = ~1, weights = ~pw, data = data)
pw <- d$pw * N / sum(d$pw)

# Those without an answer keep their share.
none <- sum(pw[d$full == "none"])
awards <- c(Yes = 3700, No = 2494) / 6194 * (N - none)
stype <- c(E = 4421, M = 1018, H = 755)
size <- c(large = 3000, small = 3194)
given <- c(`E.Yes` = 2800, `E.No` = 1621, `M.Yes` = 500, `M.No` = 518, `H.Yes` = 300, `H.No` = 455)
cells <- given / sum(given) * (N - none)
d$joint <- factor(ifelse(d$full == "none", "none", as.character(d$cell)), c(names(cells), "none"))

table_of <- function(values, name) setNames(data.frame(names(values), values), c(name, "Freq"))
one <- list(
  table_of(stype, "stype"), table_of(c(awards, none = none), "full"), table_of(size, "size")
)
two <- list(table_of(c(cells, none = none), "joint"), table_of(size, "size"))
raked <- function(formulas, margins) {
  rake(alone(), formulas, margins, control = list(maxit = 5000, epsilon = 1e-11))
}
totals <- c(
  `(Intercept)` = N, stypeM = 1018, stypeH = 755, fullNo = unname(awards["No"]), fullnone = none,
  sizesmall = 3194
)
joint_totals <- c(
  `(Intercept)` = N, setNames(cells[-1], paste0("joint", names(cells)[-1])), jointnone = none,
  sizesmall = 3194
)
calibrated <- function(formula, totals, ...) {
  calibrate(alone(), formula, totals, calfun = "raking", epsilon = 1e-13, maxit = 500, ...)
}
mean_weight <- N / nrow(d)
limited <- function(lower, upper) {
  calibrated(
    ~ stype + full + size, totals,
    bounds = list(lower = rep(lower * mean_weight, nrow(d)), upper = rep(upper * mean_weight, nrow(d))),
    bounds.const = TRUE
  )
}

errors <- function(design) {
  design <- update(design, large = as.numeric(size == "large"), one = 1)
  by <- svyby(~y, ~size, design, svymean)
  c(coef(svymean(~y, design)), SE(svymean(~y, design)), coef(by), SE(by), SE(svymean(~api00, design)))
}
kish <- function(w) c(sum(w)^2 / sum(w^2), length(w) * sum(w^2) / sum(w)^2)

found <- list(
  margins = raked(list(~stype, ~full, ~size), one),
  margins_newton = calibrated(~ stype + full + size, totals),
  cells = raked(list(~joint, ~size), two),
  cells_newton = calibrated(~ joint + size, joint_totals),
  capped = limited(0, 1.9),
  limited = limited(0.45, 1.9)
)
number <- function(values) paste0("[", paste(sprintf("%.15g", values), collapse = ", "), "]")
lines <- sapply(names(found), function(name) {
  design <- found[[name]]
  w <- weights(design)
  sprintf(
    '  "%s": {"weights": %s,\n    "errors": %s, "kish": %s}', name, number(w),
    number(as.numeric(errors(design))), number(kish(w))
  )
})
trimmed <- weights(trimWeights(found$margins, upper = 1.7 * mean_weight, strict = TRUE))
lines <- c(lines, sprintf('  "trimmed": {"weights": %s, "kish": %s}', number(trimmed), number(kish(trimmed))))
cat("{\n", paste(lines, collapse = ",\n"), "\n}\n", sep = "")
