# Standard errors, p-values and intervals of the Household Pulse sample in tests/data, by R's `survey`.
#
#     python -m tests.oracle.design | Rscript tests/oracle/design.R > tests/oracle/design.json
#
# Four ways of drawing the same respondents. The states are the strata. The survey has no clusters, so
# some are made up: six for each state and week, and a single one in Wyoming (state 56).
library(survey)
options(survey.lonely.psu = "adjust", digits = 15)

d <- read.csv(file("stdin"))
d$cluster <- ifelse(d$EST_ST == 56, 0, (d$number * 7919) %% 101 %% 6)
d$stratum <- paste(d$WEEK, d$EST_ST)
d$psu <- paste(d$stratum, d$cluster)
d$one <- 1
d$y <- as.numeric(d$EXPNS_DIF == 4)
d$south <- as.numeric(d$REGION == 2)
d$west <- as.numeric(d$REGION == 4)
d$young <- as.numeric(d$TBIRTH_YEAR >= 1988)
d$hispanic <- as.numeric(d$RHISPANIC == 2)
columns <- c("south", "west", "young", "hispanic")
for (column in columns) d[[paste0("y_", column)]] <- d$y * d[[column]]

designs <- list(
  none = svydesign(ids = ~1, strata = ~WEEK, weights = ~PWEIGHT, data = d),
  strata = svydesign(ids = ~1, strata = ~stratum, weights = ~PWEIGHT, data = d),
  clusters = svydesign(ids = ~psu, strata = ~WEEK, weights = ~PWEIGHT, data = d, nest = TRUE),
  both = svydesign(ids = ~psu, strata = ~stratum, weights = ~PWEIGHT, data = d, nest = TRUE)
)

share <- function(design) as.numeric(SE(svymean(~y, design)))
p_value <- function(contrast, freedom) {
  2 * pt(-abs(as.numeric(coef(contrast)) / as.numeric(SE(contrast))), freedom)
}

figures <- function(design) {
  freedom <- degf(design)
  total <- svytotal(
    ~ one + y + south + west + young + hispanic + y_south + y_west + y_young + y_hispanic, design
  )
  contrast <- function(expression) svycontrast(total, expression)
  error <- function(expression) as.numeric(SE(contrast(expression)))
  young_hispanic <- quote(y_young / young - y_hispanic / hispanic)
  weeks <- svyby(~y, ~WEEK, design, svymean, covmat = TRUE)
  last <- svycontrast(weeks, list(last = c(0, 0, -1, 1)))
  young <- svyciprop(~y, subset(design, young == 1), method = "logit")
  women <- subset(design, EGENID_BIRTH == 2)
  freedom_of <- function(design) {
    c(
      degf(subset(design, south == 1)), degf(subset(design, west == 1)),
      degf(subset(design, young == 1)), degf(subset(design, hispanic == 1))
    )
  }
  list(
    freedom = freedom,
    column_freedom = freedom_of(design),
    errors = c(
      share(subset(design, south == 1)), share(subset(design, west == 1)),
      share(subset(design, young == 1)), share(subset(design, hispanic == 1))
    ),
    young_hispanic = error(young_hispanic),
    p = p_value(contrast(young_hispanic), degf(subset(design, young == 1 | hispanic == 1))),
    south_young = error(quote(y_south / south - y_young / young)),
    young_rest = error(quote(y_young / young - (y - y_young) / (one - young))),
    log_index = c(
      error(quote(log(y_young * one / (young * y)))), error(quote(log(y_south * one / (south * y))))
    ),
    women = share(subset(women, young == 1)),
    women_freedom = freedom_of(women),
    weeks = as.numeric(SE(weeks)),
    last = p_value(last, freedom),
    young = as.numeric(attr(young, "ci"))
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
options(survey.lonely.psu = "certainty")
found$west_with_certainty <- number(share(subset(designs$both, west == 1)))
cat(object(found, ""), "\n", sep = "")
