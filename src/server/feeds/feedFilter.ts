import { type StaticDecode, type TObject, Type } from '@sinclair/typebox'
import { frequencies } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { createFeedSearch } from '../../feeds/catalog/feedSearch.ts'
import { oneOf } from '../../runtime/settings/textTypes.ts'
import { familyParameter } from '../http/apiDocs.ts'
import { createVariantMemo } from '../http/memo.ts'

const MAX_LENGTH = 200

/** A text with at least one character that is not a space. */
const filter = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      pattern: '\\S',
      maxLength: MAX_LENGTH,
      description,
      examples: [example],
      error: `1 to ${MAX_LENGTH} characters; leave the parameter out to not filter by it`,
    }),
  )

export const feedFilterParameters = {
  q: filter(
    'Words that must all occur in the id, title, unit, route, frequency or description, in any case.',
    'crude cushing',
  ),
  family: familyParameter,
  route: filter('EIA route, or its first segments. Case-sensitive.', 'petroleum/stoc'),
  frequency: Type.Optional(oneOf(frequencies, { description: "Frequency, in EIA's terms." })),
  unit: filter('Exact unit. Case-sensitive.', '$/bbl'),
}

/** The given parameters of a filter. A feed must match all of them. */
export type FeedFilter = StaticDecode<TObject<typeof feedFilterParameters>>

/** Returns the readings that all given parameters select, in the same order. Without any, it is the same array. */
export const filterFeeds = (readings: readonly Reading[], given: FeedFilter): readonly Reading[] =>
  Object.keys(given).length === 0 ? readings : filtered(readings, given)

const filtered = createVariantMemo(
  (readings: readonly Reading[], { q = '', family = '', route, frequency, unit }: FeedFilter) => {
    const isFound = createFeedSearch(q)
    const below = route?.replace(/\/*$/, '/')
    return readings.filter(
      (reading) =>
        reading.route.startsWith(family) &&
        (below === undefined || `${reading.route}/`.startsWith(below)) &&
        (frequency === undefined || reading.frequency === frequency) &&
        (unit === undefined || reading.unit === unit) &&
        isFound(reading),
    )
  },
)

export const fieldsParameter = (
  names: readonly string[],
  { description, examples }: { description: string; examples: readonly string[] },
) =>
  Type.Optional(
    Type.String({
      pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
      description,
      examples,
      error: `one or more of ${names.join(', ')}, separated by commas`,
    }),
  )
