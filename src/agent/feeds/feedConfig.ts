import { type Static, Type } from '@sinclair/typebox'
import { frequencies } from '../../eia/period.ts'

// Each description ends the sentence "it must be …".
const text = Type.String({ minLength: 1, description: 'a text that is not empty' })

/** A feed as the feeds file describes it. */
export const FeedConfig = Type.Object(
  {
    feed_id: Type.String({
      // What the FeedRegistry takes: no control characters.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
      description: 'a text without control characters',
    }),
    title: text,
    description: text,
    /** As on chain; `EIA`. */
    source: text,
    /** EIA's route, below `/v2/`. */
    route: Type.String({
      pattern: '^[A-Za-z0-9-]+(/[A-Za-z0-9-]+)*$',
      description: 'the path below /v2/, no slash at its ends',
    }),
    frequency: Type.Union(
      frequencies.map((frequency) => Type.Literal(frequency)),
      { description: `one of ${frequencies.join(', ')}` },
    ),
    /** The column of EIA's dataset that holds the value. */
    column: text,
    /** One value for each facet that is pinned, by its id. All of them enter the hash. */
    facets: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]+$' }), text, {
      description: 'an object of facet ids and their values',
      additionalProperties: false,
    }),
    /** The display unit, as on chain. */
    unit: text,
    /** How many digits of an amount stand behind the decimal point. */
    decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'a whole number from 0 to 255' }),
    /** Where given, what every row has to state as its unit. */
    upstream_unit: Type.Optional(text),
    /** Whether periods that have not begun are attested: forecasts. @default false */
    allow_future: Type.Optional(Type.Boolean({ description: 'true or false' })),
    /** Why it is not known that EIA has just this series; such a feed is attested to no public network. */
    unverified: Type.Optional(text),
  },
  { additionalProperties: false },
)
export type FeedConfig = Static<typeof FeedConfig>
