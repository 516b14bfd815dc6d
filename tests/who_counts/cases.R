# Shares of the twelve cases by R's `survey`, missing answers left out as `na.rm` does.
#
#     Rscript tests/who_counts/cases.R tests/who_counts/patterns > tests/who_counts/r.json
#
# A figure is "case|row|column": the share in percent, the respondents it is a share of, and its
# standard error, each wave a sample of its own. A column that is "all" is everyone; where no
# respondent has an answer there is no share.
library(survey)
folder <- commandArgs(trailingOnly = TRUE)[1]
figures <- character()
read <- function(case) {
  d <- read.csv(file.path(folder, paste0(case, ".csv")))
  d <- d[rep(seq_len(nrow(d)), d$n), ]
  if (!"w" %in% names(d)) d[["w"]] <- 1
  d
}
share <- function(y, design, part) {
  d <- design$variables
  counted <- part & !is.na(d[[y]]) & weights(design) > 0
  if (!any(counted)) return("null")
  estimate <- svymean(reformulate(y), subset(design, part), na.rm = TRUE)
  sprintf("[%.12g, %d, %.12g]", 100 * coef(estimate), sum(counted), 100 * SE(estimate))
}
add <- function(case, d, rows, columns) {
  y <- setNames(paste0("y", seq_along(rows)), names(rows))
  for (name in names(rows)) d[[y[name]]] <- as.numeric(rows[[name]])
  if (!"wave" %in% names(d)) d[["wave"]] <- 1
  design <- svydesign(ids = ~1, strata = ~wave, weights = ~w, data = d)
  for (name in names(rows)) for (column in columns) {
    parts <- if (column == "all") list(all = rep(TRUE, nrow(d)))
      else sapply(sort(unique(na.omit(d[[column]]))), function(v) !is.na(d[[column]]) & d[[column]] == v,
                  simplify = FALSE)
    labels <- if (column == "all") "all" else paste(column, sort(unique(na.omit(d[[column]]))))
    for (at in seq_along(parts)) {
      key <- paste(case, name, labels[at], sep = "|")
      figures <<- c(figures, sprintf('  "%s": %s', key, share(y[[name]], design, parts[[at]])))
    }
  }
}
is <- function(column, values) sapply(values, function(v) column == v, simplify = FALSE)

d <- read("new_brand")
named <- function(columns) setNames(columns, tools::toTitleCase(names(columns)))
add("new_brand", d, named(d[c("alba", "bern", "dora")]), c("all", "sex", "wave"))
d <- read("new_grid_item")
points <- c("Good", "Fair", "Bad")
rows <- list()
for (item in c("taste", "price", "service")) for (at in 1:3)
  rows[[paste0(tools::toTitleCase(item), ": ", points[at])]] <- d[[item]] == at
add("new_grid_item", d, rows, c("all", "sex", "wave"))
d <- read("new_answer")
plans <- setNames(is(d$plan, 1:3), c("Basic", "Plus", "Max"))
add("new_answer", d, plans, c("all", "sex"))
add("new_answer", d, plans[1:2], "wave")
# The third plan was on the list of the second wave alone.
later <- subset(d, wave == 2)
add("new_answer", later, list(Max = later$plan == 3), "wave")
d <- read("rotated")
# `pmax` is missing where any of the items is: who was not asked all of them.
both <- pmax(d$tea, d$milk)
either <- pmax(d$tea, d$milk, na.rm = TRUE)
rows <- c(named(d[c("tea", "milk", "beer")]), list("Tea or Milk" = both, "Tea, or Milk" = either))
add("rotated", d, rows, c("all", "sex"))
d <- read("not_routed")
add("not_routed", d, list(Yes = d$used == 1, "not Yes" = !(d$used == 1)), c("all", "sex"))
known <- subset(d, !(used == 1))
add("not_routed of not Yes", known, setNames(is(known$sex, 1:2), c("Woman", "Man")), "all")
d <- read("growing_net")
d$net <- ifelse(d$wave == 1, d$alba, pmax(d$alba, d$dora))
add("growing_net", d, c(named(d[c("alba", "bern", "dora")]), list("Alba or Dora" = d$net)), c("all", "wave"))
d <- read("renamed")
add("renamed", d, setNames(is(d$rating, 1:3), c("Good", "Bad", "Great")), "all")
for (wave in 1:2) {
  part <- d[d$wave == wave, ]
  offered <- if (wave == 1) c(Good = 1, Bad = 2) else c(Bad = 2, Great = 3)
  add("renamed", part, setNames(is(part$rating, offered), names(offered)), "wave")
}
d <- read("routed")
add("routed", d, setNames(is(d$agrees, 1:2), c("Yes", "No")), c("all", "sex"))
d <- read("missing_in_set")
for (item in c("tv", "radio")) d[[item]][d[[item]] %in% 9] <- NA
add("missing_in_set", d, list(TV = d$tv, Radio = d$radio), "all")
d <- read("column_missing")
add("column_missing", d, setNames(is(d$likes, 1:2), c("Yes", "No")), c("all", "sex"))
d <- read("at_least")
two <- function(...) as.numeric(rowSums(cbind(...)) >= 2)
d$two <- ifelse(d$wave == 1, NA, ifelse(d$wave == 2, two(d$tea, d$milk), two(d$tea, d$milk, d$beer)))
add("at_least", d, list(Tea = d$tea, two = d$two), c("all", "wave"))
d <- read("weight_zero")
add("weight_zero", d, setNames(is(d$likes, 1:2), c("Yes", "No")), c("all", "sex"))
cat("{\n", paste(figures, collapse = ",\n"), "\n}\n", sep = "")
