# Standard errors of R's `apistrat` after raking to two margins, by R's `survey`.
#
#     python -m tests.oracle.raked | Rscript tests/oracle/raked.R > tests/oracle/raked.json
library(survey)
options(digits = 15)

d <- read.csv(file("stdin"))
d$y <- as.numeric(d$grade == "high")
d$large <- as.numeric(d$size == "large")
d$small <- 1 - d$large
d$yl <- d$y * d$large
d$ys <- d$y * d$small
d$el <- d$large * (d$stype == "E")
d$es <- d$small * (d$stype == "E")
d$stype <- factor(d$stype, c("E", "M", "H"))
d$awards <- factor(d$awards, c("No", "Yes"))
population <- c(`(Intercept)` = 6194, stypeM = 1018, stypeH = 755, awardsYes = 3700)

raked <- function(...) {
  calibrate(
    svydesign(weights = ~pw, data = d, nest = TRUE, ...), ~stype + awards, population,
    calfun = "raking", epsilon = 1e-13, maxit = 200
  )
}
designs <- list(
  alone = raked(ids = ~1),
  strata = raked(ids = ~1, strata = ~stratum),
  clusters = raked(ids = ~cluster, strata = ~stratum)
)

figures <- function(design) {
  totals <- svytotal(~large + small + yl + ys + el + es, design)
  contrasts <- svycontrast(totals, list(
    large = quote(yl / large), small = quote(ys / small),
    difference = quote(yl / large - ys / small),
    elementary = quote(el / large), others = quote(es / small)
  ))
  list(
    freedom = c(degf(subset(design, large == 1)), degf(subset(design, small == 1))),
    pair_freedom = degf(design),
    shares = as.numeric(coef(contrasts)[1:2]),
    errors = as.numeric(SE(contrasts)[1:2]),
    difference = as.numeric(SE(contrasts)[3]),
    elementary = as.numeric(SE(contrasts)[4:5]),
    all = as.numeric(SE(svymean(~y, design))),
    middle = as.numeric(SE(svymean(~y, subset(design, stype == "M"))))
  )
}

# Means, percentiles and sums by column, differences of columns and of rows, and a test of the table.
amounts <- function(design) {
  design <- update(
    design, big = as.numeric(size == "large"), won = as.numeric(awards == "Yes"), high = y
  )
  design <- update(design, al = api00 * big, as = api00 * (1 - big))
  means <- svycontrast(svytotal(~ large + small + al + as, design), list(
    large = quote(al / large), small = quote(as / small), difference = quote(al / large - as / small)
  ))
  median <- svyquantile(~api00, subset(design, size == "large"), c(0.25, 0.5), qrule = "school")
  both <- svymean(~ high + won, subset(design, size == "large"))
  scores <- svymean(~ api00 + enroll, design)
  test <- svychisq(~ grade + awards, design)
  list(
    mean = c(coef(means)[1:2], SE(means)),
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
