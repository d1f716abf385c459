/** What EIA says of a level of its routes, or of a dataset. */
export interface RouteText {
  readonly name: string
  readonly description: string
}

/** The `response` of EIA's API to a level of its routes above the datasets: `/v2/`, `/v2/petroleum`. */
export interface RouteLevel extends RouteText {
  /** The last part of its route; empty for the root. */
  readonly id: string
  readonly routes: readonly ({ readonly id: string } & RouteText)[]
}

/**
 * Returns the level at a route, with what is directly below it; null if no dataset is below it.
 *
 * @param path - below `/v2/`; empty for the root
 * @param datasets - the routes of all datasets
 * @param textOf - what is said of the route of a level or dataset
 */
export function findRouteLevel(
  path: string,
  datasets: Iterable<string>,
  textOf: (route: string) => RouteText,
): RouteLevel | null {
  const start = path === '' ? '' : `${path}/`
  const below = [...datasets].filter((route) => route !== path && route.startsWith(start))
  if (below.length === 0) return null
  const ids = new Set(below.map((route) => firstPart(route.slice(start.length))))
  const routes = [...ids].map((id) => ({ id, ...textOf(start + id) }))
  return { id: path.slice(path.lastIndexOf('/') + 1), ...textOf(path), routes }
}

const firstPart = (route: string): string => route.split('/', 1)[0] ?? ''
