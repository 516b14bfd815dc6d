# Weighted means, standard deviations and medians of the Californian schools, by R's `survey`.
#
#     Rscript tests/oracle/numbers.R tests/oracle/apistrat.csv > tests/oracle/numbers.json
#
# The schools are `apistrat` of the same package. The median is the least value
# that half of the weight reaches, or the middle of two where half is reached exactly (`qrule = "school"`).
library(survey)
data(api)
d <- apistrat[, c("stype", "awards", "api00", "enroll", "pw")]
write.csv(d, commandArgs(trailingOnly = TRUE)[1], row.names = FALSE, quote = FALSE)
options(digits = 15)
design <- svydesign(ids = ~1, weights = ~pw, data = d)
figures <- function(part, name) {
  y <- as.formula(paste0("~", name))
  n <- nrow(part$variables)
  c(
    mean = as.numeric(svymean(y, part)),
    deviation = sqrt(as.numeric(svyvar(y, part))),
    median = as.numeric(coef(svyquantile(y, part, 0.5, qrule = "school"))),
    size = sum(weights(part)),
    sample = n
  )
}
parts <- list(
  all = design,
  E = subset(design, stype == "E"),
  M = subset(design, stype == "M"),
  H = subset(design, stype == "H"),
  awarded = subset(design, awards == "Yes"),
  H_awarded = subset(design, stype == "H" & awards == "Yes")
)
lines <- character()
for (name in c("api00", "enroll")) for (part in names(parts)) {
  f <- figures(parts[[part]], name)
  lines <- c(lines, sprintf('  "%s %s": {"mean": %.12g, "standard_deviation": %.12g, "median": %.12g, "answered_size": %.12g, "answered_sample": %d}',
    name, part, f["mean"], f["deviation"], f["median"], f["size"], as.integer(f["sample"])))
}
cat("{\n", paste(lines, collapse = ",\n"), "\n}\n", sep = "")
