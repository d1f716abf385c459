import type { FacetValue } from '@wattfeed/eia'

const namesOfStates: Readonly<Record<string, string>> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
}

const valuesOf = (names: Readonly<Record<string, string>>): FacetValue[] =>
  Object.entries(names).map(([id, name]) => ({ id, name }))

const states = [{ id: 'US', name: 'U.S. Total' }, ...valuesOf(namesOfStates)]

// Only a few: some datasets of coal shipments have a state at both ends, and the demo invents rows for every combination.
const coalStates = states.filter(({ id }) => ['US', 'IL', 'PA', 'TX', 'WV', 'WY'].includes(id))

const authorities = valuesOf({
  US48: 'United States Lower 48',
  CISO: 'California Independent System Operator',
  ERCO: 'Electric Reliability Council of Texas, Inc.',
  ISNE: 'ISO New England',
  MISO: 'Midcontinent Independent System Operator, Inc.',
  NYIS: 'New York Independent System Operator',
  PACW: 'PacifiCorp West',
  PJM: 'PJM Interconnection, LLC',
  SWPP: 'Southwest Power Pool',
})

/** Codes that EIA uses, by facet, or by the start of the route and facet. */
const known: Readonly<Record<string, readonly FacetValue[]>> = {
  ...Object.fromEntries(
    ['location', 'state', 'stateID', 'stateId', 'stateRegionId', 'stateid'].map((facet) => [facet, states]),
  ),
  mineStateId: coalStates,
  plantStateId: coalStates,
  ...Object.fromEntries(['fromba', 'parent', 'toba'].map((facet) => [facet, authorities])),
  'electricity respondent': authorities,
  'electricity fueltype': valuesOf({
    COL: 'Coal',
    NG: 'Natural Gas',
    NUC: 'Nuclear',
    OIL: 'Petroleum',
    OTH: 'Other',
    SUN: 'Solar',
    WAT: 'Hydro',
    WND: 'Wind',
  }),
  'electricity/retail-sales sectorid': valuesOf({
    ALL: 'all sectors',
    COM: 'commercial',
    IND: 'industrial',
    OTH: 'other',
    RES: 'residential',
    TRA: 'transportation',
  }),
  'natural-gas duoarea': [
    { id: 'NUS', name: 'U.S.' },
    ...Object.entries(namesOfStates).map(([id, name]) => ({ id: `S${id}`, name })),
  ],
  'natural-gas product': valuesOf({ EPG0: 'Natural Gas' }),
  'petroleum duoarea': valuesOf({
    NUS: 'U.S.',
    R10: 'PADD 1',
    R20: 'PADD 2',
    R30: 'PADD 3',
    R40: 'PADD 4',
    R50: 'PADD 5',
  }),
  'petroleum product': valuesOf({
    EPC0: 'Crude Oil',
    EPD0: 'Distillate Fuel Oil',
    EPJK: 'Kerosene-Type Jet Fuel',
    EPM0: 'Total Gasoline',
  }),
  coalRankId: valuesOf({
    TOT: 'All Ranks',
    ANT: 'Anthracite',
    BIT: 'Bituminous',
    LIG: 'Lignite',
    SUB: 'Subbituminous',
  }),
}

/** Returns EIA's codes for a facet of a dataset; null if none are known here. */
export function knownFacetValues(route: string, facet: string): readonly FacetValue[] | null {
  const [family] = route.split('/')
  return known[`${route} ${facet}`] ?? known[`${family} ${facet}`] ?? known[facet] ?? null
}
