/** EIA's families of statistics: the first part of a route. */
export const families: ReadonlyMap<string, string> = new Map([
  ['petroleum', 'Petroleum'],
  ['natural-gas', 'Natural gas'],
  ['electricity', 'Electricity'],
  ['coal', 'Coal'],
  ['nuclear-outages', 'Nuclear'],
  ['densified-biomass', 'Biomass'],
  ['crude-oil-imports', 'Crude oil imports'],
  ['total-energy', 'Total energy'],
  ['seds', 'States'],
  ['co2-emissions', 'CO₂ emissions'],
  ['steo', 'Short-term outlook'],
  ['aeo', 'Annual outlook'],
  ['ieo', 'International outlook'],
  ['international', 'International'],
])

/** The family of all routes that are not in one of EIA's families. */
export const OTHER_FAMILY = 'other'

/** The family of a route, or `other`: anyone may register any route. */
export function familyOf(route: string): string {
  const [family = ''] = route.split('/')
  return families.has(family) ? family : OTHER_FAMILY
}
