# Shares, means, percentiles and sums with their errors, degrees of freedom, intervals and
# differences, by R's `survey`, of the surveys that `surveys.py` writes; its docstring has the call.
#
# Replicate weights are about the estimate of the whole sample (mse = TRUE), as audiencelab's are.
# R's default is about the mean of the replicates, which leaves out their bias.
library(survey)
options(survey.lonely.psu = "adjust", digits = 15)
folder <- commandArgs(trailingOnly = TRUE)[1]

replicated <- function(d, type, ...) {
  svrepdesign(
    weights = ~w, repweights = "^rep[0-9]+$", data = d, type = type, combined.weights = TRUE,
    mse = TRUE, ...
  )
}
clustered <- function(d) svydesign(ids = ~psu, strata = ~stratum, weights = ~w, data = d, nest = TRUE)
designs <- list(
  yrbs = clustered,
  apistrat = function(d) svydesign(ids = ~1, strata = ~stratum, weights = ~w, fpc = ~fpc, data = d),
  apiclus2 = function(d) svydesign(ids = ~psu, weights = ~w, fpc = ~fpc, data = d),
  weights = function(d) svydesign(ids = ~1, weights = ~w, data = d),
  BRR = function(d) replicated(d, "BRR"),
  Fay = function(d) replicated(d, "Fay", rho = 0.3),
  JKn = function(d) replicated(d, "JKn", scale = 1, rscales = rep(0.75, 20)),
  bootstrap = function(d) replicated(d, "bootstrap"),
  successive = function(d) replicated(d, "successive-difference"),
  raked = function(d) {
    d$group <- factor(d$group)
    d$old <- factor(d$old)
    population <- c("(Intercept)" = 1100, groupb = 250, groupc = 280, groupd = 270, oldyes = 450)
    calibrate(clustered(d), ~group + old, population, calfun = "raking", epsilon = 1e-13, maxit = 200)
  }
)

# Covariances of Σ w x y ÷ Σ w x over some sets of respondents (x, a column each): by what each
# respondent adds to the linearised ratio, or by the ratios of the replicates.
ratios <- function(design, y, sets) {
  if (inherits(design, "svyrep.design")) {
    found <- withReplicates(design, function(w, data) colSums(w * y * sets) / colSums(w * sets))
    return(list(value = as.numeric(coef(found)), covariance = unclass(vcov(found))))
  }
  w <- weights(design, "sampling")
  value <- colSums(w * y * sets) / colSums(w * sets)
  scores <- sets * (outer(y, value, "-")) %*% diag(1 / colSums(w * sets))
  list(value = value, covariance = unclass(vcov(svytotal(scores, design))))
}
apart <- function(found, freedom, one, other) {
  covariance <- found$covariance
  error <- sqrt(pmax(0, covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]))
  difference <- found$value[one] - found$value[other]
  c(difference, error, freedom, 2 * pt(-abs(difference / error), freedom))
}
# On the effective base, adjusted for degrees of freedom and no larger than that of a simple random
# sample of the population, of which a part was not drawn.
not_drawn <- function(design) {
  fpc <- design$fpc
  if (is.null(fpc$popsize)) 1 else mean(1 - fpc$sampsize[, 1] / fpc$popsize[, 1])
}
wilson <- function(p, error, most, freedom) {
  z <- qnorm(0.975)
  base <- min(most, p * (1 - p) / error^2 * (z / qt(0.975, freedom))^2)
  middle <- p + z^2 / (2 * base)
  half <- z * sqrt(p * (1 - p) / base + z^2 / (4 * base^2))
  (middle + c(-1, 1) * half) / (1 + z^2 / base)
}
# R's rule "school" (the middle of two, where exactly the part p of the weight is at or below one),
# without two faults of it: `qrule_school` takes the second value where the first has more than p of
# the weight, and misses exact parts by rounding.
school <- function(x, w, p) {
  x <- x[w > 0]
  w <- w[w > 0]
  reached <- cumsum(w[order(x)]) / sum(w)
  x <- sort(x)
  of <- function(p) x[min(which(reached >= p), length(x))]
  (of(p - 1e-12) + of(p + 1e-12)) / 2
}
# As `svyciprop(method = "logit")`, which is only as exact as its models converge (1e-8): the same
# linearised, "xlogit", or from the log odds of the replicates.
logit <- function(design, y, freedom) {
  ends <- function(method) {
    as.numeric(attr(svyciprop(~y, design, method = method, df = freedom), "ci"))
  }
  if (inherits(design, "svyrep.design")) {
    odds <- withReplicates(design, function(w, data) qlogis(sum(w * data$y) / sum(w)))
    # A replicate without anybody in the row, or all, has no log odds: R's interval is (0, 1).
    if (!is.finite(SE(odds))) return(c(NA, NA))
    found <- plogis(coef(odds) + c(-1, 1) * qt(0.975, freedom) * as.numeric(SE(odds)))
  } else {
    found <- ends("xlogit")
  }
  stopifnot(max(abs(found - ends("logit"))) < 1e-6)
  found
}
part <- function(design, inside) design[which(inside), ]

figures <- function(design, d) {
  groups <- sort(unique(d$group))
  columns <- sapply(groups, function(value) d$group == value)
  columns <- cbind(columns, sapply(c("old", "red", "blue"), function(name) d[[name]] == "yes"))
  colnames(columns) <- c(paste("group", groups), "old", "red", "blue")
  answers <- sort(unique(na.omit(d$answer)))
  pairs <- combn(ncol(columns), 2)
  rests <- seq_len(ncol(columns)) + ncol(columns)

  # Of all who count: degrees of freedom of columns, of columns and rests, of pairs.
  freedoms <- function(counted) {
    of <- function(inside) if (any(inside & counted)) degf(part(design, inside & counted)) else 0
    own <- apply(columns, 2, of)
    list(
      own = own, rest = pmin(own, apply(!columns, 2, of)),
      pairs = apply(pairs, 2, function(pair) of(columns[, pair[1]] | columns[, pair[2]]))
    )
  }
  answered <- !is.na(d$answer)
  most <- colSums(columns & answered & d$w > 0) / not_drawn(design)
  freedom <- freedoms(answered)
  sets <- cbind(columns, !columns) & answered
  rows <- lapply(answers, function(answer) {
    y <- as.numeric(answered & d$answer %in% answer)
    found <- ratios(design, y, sets)
    cells <- lapply(seq_len(ncol(columns)), function(at) {
      inside <- columns[, at] & answered
      subdesign <- part(update(design, y = y), inside)
      p <- svymean(~y, subdesign)
      own <- c(coef(p), SE(p))
      known <- own[1] > 0 && own[1] < 1 && own[2] > 0 && freedom$own[at] >= 1
      freedom <- freedom$own[at]
      # svyciprop counts the rows of a subset, which after raking are those of the whole sample.
      beta <- function() {
        if (nrow(subdesign) == sum(inside)) return(as.numeric(attr(svyciprop(~y, subdesign, method = "beta"), "ci")))
        base <- own[1] * (1 - own[1]) / own[2]^2 * (qt(0.975, sum(inside) - 1) / qt(0.975, freedom))^2
        c(
          qbeta(0.025, base * own[1], base * (1 - own[1]) + 1),
          qbeta(0.975, base * own[1] + 1, base * (1 - own[1]))
        )
      }
      intervals <- if (!known) rep(NA, 6) else {
        c(wilson(own[1], own[2], most[at], freedom), logit(subdesign, y, freedom), beta())
      }
      c(own, intervals)
    })
    list(
      cells = do.call(rbind, cells),
      pairs = t(sapply(seq_len(ncol(pairs)), function(at) {
        apart(found, freedom$pairs[at], pairs[1, at], pairs[2, at])
      })),
      rest = t(sapply(seq_len(ncol(columns)), function(at) {
        apart(found, freedom$rest[at], at, rests[at])
      }))
    )
  })

  given <- !is.na(d$amount)
  of_amount <- freedoms(given)
  filled <- ifelse(given, d$amount, 0)
  design <- update(design, filled = filled)
  found <- ratios(design, filled, columns & given)
  statistics <- lapply(seq_len(ncol(columns)), function(at) {
    subdesign <- part(design, columns[, at] & given)
    mean <- svymean(~filled, subdesign)
    total <- svytotal(~hours, part(design, columns[, at]))
    c(coef(mean), SE(mean), coef(total), SE(total))
  })
  quantiles <- lapply(seq_len(ncol(columns)), function(at) {
    subdesign <- part(design, columns[, at] & given)
    found <- svyquantile(~filled, subdesign, c(0.25, 0.5, 0.9), qrule = school)
    c(coef(found), SE(found))
  })
  list(
    columns = colnames(columns), answers = answers,
    sample = colSums(columns & answered), freedom = freedom$own, rest_freedom = freedom$rest,
    cells = lapply(rows, `[[`, "cells"), pairs = lapply(rows, `[[`, "pairs"),
    rest = lapply(rows, `[[`, "rest"),
    statistics = do.call(rbind, statistics), percentiles = do.call(rbind, quantiles),
    means = t(sapply(seq_len(ncol(pairs)), function(at) {
      apart(found, of_amount$pairs[at], pairs[1, at], pairs[2, at])
    }))
  )
}

json <- function(x) {
  if (is.matrix(x)) return(json(lapply(seq_len(nrow(x)), function(at) as.numeric(x[at, ]))))
  if (is.list(x) && !is.null(names(x))) {
    return(paste0("{", paste0('"', names(x), '": ', sapply(x, json), collapse = ",\n"), "}"))
  }
  if (is.list(x)) return(paste0("[", paste(sapply(x, json), collapse = ",\n"), "]"))
  text <- if (is.character(x)) paste0('"', x, '"') else ifelse(is.finite(x), sprintf("%.13g", x), "null")
  paste0("[", paste(text, collapse = ", "), "]")
}
found <- lapply(setNames(names(designs), names(designs)), function(name) {
  d <- read.csv(file.path(folder, paste0(name, ".csv")), na.strings = c("NA", ""))
  figures(designs[[name]](d), d)
})
cat(json(found), "\n", sep = "")
