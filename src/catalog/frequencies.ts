/** EIA's frequencies: how each writes its periods, and what a description has to say to name it. */
export const frequencies: ReadonlyMap<string, { period: RegExp; words: RegExp }> = new Map([
  ['hourly', { period: /^\d{4}-\d\d-\d\dT\d\d$/, words: /\bhourly\b/i }],
  ['local-hourly', { period: /^\d{4}-\d\d-\d\dT\d\d[+-]\d\d$/, words: /\blocal time\b/i }],
  ['daily', { period: /^\d{4}-\d\d-\d\d$/, words: /\bdaily\b/i }],
  ['weekly', { period: /^\d{4}-\d\d-\d\d$/, words: /\bweekly\b/i }],
  ['four-week-average', { period: /^\d{4}-\d\d-\d\d$/, words: /\bfour-week averages?\b/i }],
  ['monthly', { period: /^\d{4}-\d\d$/, words: /\bmonthly\b/i }],
  ['quarterly', { period: /^\d{4}-Q[1-4]$/, words: /\bquarterly\b/i }],
  ['annual', { period: /^\d{4}$/, words: /\bannual\b/i }],
])
