# Reads a server of EIA's API with the R package eia, of which only the base URL is changed: URL before /v2, QUESTIONS as JSON.
#
# Prints as JSON what it returns. Rows are lists of a period and the numbers.

suppressMessages(library(eia))
arguments <- commandArgs(TRUE)
asked <- jsonlite::fromJSON(arguments[2])
Sys.setenv(EIA_KEY = "any")
options(eia_antidos = 0)

# The base URL is a constant in this function.
build_url <- get(".eia_url", asNamespace("eia"))
body(build_url) <- parse(text = gsub("https://api.eia.gov", arguments[1], deparse(body(build_url)), fixed = TRUE))[[1]]
assignInNamespace(".eia_url", build_url, "eia")

retail <- "electricity/retail-sales"
households <- list(stateid = asked$state, sectorid = asked$sector)
newest_first <- list(cols = "period", order = "desc")

rows <- function(found, columns) {
  lapply(seq_len(nrow(found)), function(at) c(list(found$period[at]), lapply(columns, function(column) as.numeric(found[[column]][at]))))
}

monthly <- function(data, ...) {
  found <- suppressWarnings(eia_data(retail, data, households, freq = "monthly", sort = newest_first, ...))
  rows(found, data)
}

weeks <- eia_data(
  "petroleum/pri/gnd", "value", list(series = asked$series), freq = "weekly", start = asked$week, sort = newest_first
)
codes <- eia_facets(retail, "sectorid")
about <- eia_metadata(retail)
cat(jsonlite::toJSON(auto_unbox = TRUE, digits = NA, list(
  newest = monthly("price", length = 3),
  history = monthly(c("price", "sales"), start = asked$start, end = asked$end, check_metadata = TRUE),
  weeks = rows(weeks, "value"),
  codes = Map(c, codes$id, codes$name, USE.NAMES = FALSE),
  metadata = list(
    name = about$Name,
    columns = sort(about$Data$id),
    facets = sort(about$Facets$id),
    frequencies = I(about$Frequency$id),
    periods = c(about$Period$start, about$Period$end)
  )
)))
