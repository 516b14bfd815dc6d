# Each wave less the one before it that asked, of all and of women and men, by R's `survey`.
#
#     python -m tests.oracle.previous_wave | Rscript tests/oracle/previous_wave.R \
#       > tests/oracle/previous_wave.json
library(survey)
options(digits = 15, survey.lonely.psu = "adjust")

d <- read.csv(file("stdin"), na.strings = "")
d$nps <- 100 * ((d$rated >= 9) - (d$rated <= 6))
design <- svydesign(ids = ~1, strata = ~wave, weights = ~wgt, data = d)

# `of` is a formula whose mean is compared; waves without an answer are left out.
changes <- function(of, design) {
  answered <- subset(design, !is.na(model.frame(of, design$variables, na.action = na.pass)[[1]]))
  means <- svyby(of, ~wave, answered, svymean, covmat = TRUE)
  lapply(seq_len(nrow(means) - 1), function(at) {
    contrast <- setNames(c(-1, 1), rownames(means)[c(at, at + 1)])
    found <- svycontrast(means, contrast)
    list(wave = means$wave[at + 1], change = coef(found)[[1]], error = SE(found)[[1]])
  })
}

parts <- list(all = design, Women = subset(design, gender == "Women"),
              Men = subset(design, gender == "Men"))
rows <- list(Fully = ~I(as.numeric(trust == "Fully")), Yes = ~I(as.numeric(bought == "Yes")),
             brands_1 = ~brands_1, mean = ~rated, nps = ~nps)
found <- lapply(parts, function(part) lapply(rows, changes, design = part))
cat(jsonlite::toJSON(found, auto_unbox = TRUE, digits = NA, pretty = TRUE), "\n")
