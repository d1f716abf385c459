/** What the name of a query parameter starts with that pins a facet of a series: `facet.<id>`. */
export const FACET_PARAMETER = 'facet.'
