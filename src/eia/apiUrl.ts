import type { Series } from './series.ts'

/** `{baseUrl}/v2/{path}?api_key=…`. The base URL may hold a path. EIA takes its key in the query only. */
export function apiUrl(baseUrl: string, path: string, apiKey: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v2/${path}`
  url.hash = ''
  url.searchParams.set('api_key', apiKey)
  return url
}

/** Asks for the newest rows of a series, as `GET /v2/{route}/data` takes it. */
export function addSeries(url: URL, series: Series, length: number): void {
  const parameters = [
    ['frequency', series.frequency],
    ['data[0]', series.column],
    ...Object.entries(series.facets).map(([id, value]) => [`facets[${id}][]`, value] as const),
    ['sort[0][column]', 'period'],
    ['sort[0][direction]', 'desc'],
    ['offset', '0'],
    ['length', String(length)],
  ] as const
  for (const [name, value] of parameters) url.searchParams.append(name, value)
}
