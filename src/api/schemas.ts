import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox'
import { fieldMeanings, type ReadingField, readingFields, readingOrder } from 'wattfeed/internal'

const closed = { additionalProperties: false }

/** Options of an object that has a name in the OpenAPI document, where it is a schema of its own. */
const named = (title: string, description?: string) => ({
  ...closed,
  title,
  ...(description === undefined ? {} : { description }),
})

/** The schema of each kind of field. Numbers above 2^53 are decimal text, because JSON numbers lose digits there. */
const schemaOf = {
  text: (options: SchemaOptions) => Type.String(options),
  hash: (options: SchemaOptions) => Type.String(options),
  u8: (options: SchemaOptions) => Type.Integer({ minimum: 0, maximum: 255, ...options }),
  u64: (options: SchemaOptions) => Type.Integer({ minimum: 0, ...options }),
  time: (options: SchemaOptions) => Type.Integer({ minimum: 0, ...options }),
  u512: (options: SchemaOptions) => Type.String({ pattern: '^[0-9]+$', ...options }),
  double: (options: SchemaOptions) => Type.Number(options),
}

type ReadingSchemas = {
  [Name in ReadingField]: ReturnType<(typeof schemaOf)[(typeof readingFields)[Name]]>
}

const readingSchemas = Object.fromEntries(
  readingOrder.map((name) => {
    const { json } = fieldMeanings[name]
    return [name, schemaOf[readingFields[name]](json === undefined ? {} : { description: json })]
  }),
) as ReadingSchemas

/** A Reading as JSON. */
export const readingBody = Type.Object(
  readingSchemas,
  named('Reading', 'Metadata and newest value of one feed, at one state root.'),
)
export type ReadingBody = Static<typeof readingBody>

const orNull = <T extends TSchema>(schema: T, options: SchemaOptions) =>
  Type.Union([schema, Type.Null()], options)

const dateOrNull = (description: string) => orNull(Type.String(), { description })

/** What a period covers: days, both inclusive; an hour as two instants, of which the end is exclusive. */
const covered = {
  period_start: dateOrNull(
    'First day that the period covers, or the start of its hour in UTC; null if the integer is not a period of this frequency.',
  ),
  period_end: dateOrNull(
    'Last day that the period covers (inclusive), or the end of its hour in UTC (exclusive); null with `period_start`.',
  ),
}

export const historyItemsBody = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ minimum: 0, description: 'Index in the order of attestation, from 0.' }),
      period: Type.Integer({ minimum: 0, description: 'As in a Reading.' }),
      ...covered,
      value: Type.Number({ description: 'The double nearest to amount / 10^decimals.' }),
      amount: Type.String({
        pattern: '^[0-9]+$',
        description: 'Exact unscaled value, as decimal digits.',
      }),
      revision: Type.Integer({
        minimum: 0,
        description:
          '0 for the first value of the period, plus one for each change: another amount, or another root of a dataset. Attesting the same value again keeps the number.',
      }),
      source_hash: Type.String(),
      attester: Type.String({ description: '`account-hash-…` or `hash-…`' }),
      attested_at: Type.Integer({ minimum: 0, description: 'Block time in epoch milliseconds.' }),
    },
    named('HistoryItem'),
  ),
)
export type HistoryItemBody = Static<typeof historyItemsBody>[number]

const historyFields = { feed_id: Type.String(), decimals: Type.Integer({ minimum: 0, maximum: 255 }) }

export const historyPageBody = Type.Object(
  {
    ...historyFields,
    unit: Type.String(),
    frequency: Type.String(),
    count: Type.Integer({ minimum: 0, description: 'Number of attested values.' }),
    items: historyItemsBody,
    next: orNull(Type.String(), {
      description: 'Path of the next page; null on the last.',
    }),
    permalink: Type.String({
      description: 'Path that always returns these items, or 409. It may be cached forever.',
    }),
  },
  named('HistoryPage'),
)
export type HistoryPageBody = Static<typeof historyPageBody>

export const historyBody = Type.Union(
  [
    historyPageBody,
    Type.Object(
      { ...historyFields, items: historyItemsBody },
      named('PinnedHistory', 'The body of a request with `pin`.'),
    ),
  ],
  { title: 'History', description: "A page of a feed's values." },
)
export type HistoryBody = Static<typeof historyBody>

const recentItemsBody = Type.Array(
  Type.Object(
    {
      period: Type.Integer({ minimum: 0, description: 'As in a Reading.' }),
      ...covered,
      value: Type.Number({ description: 'The double nearest to amount / 10^decimals.' }),
      amount: Type.String({ pattern: '^[0-9]+$', description: 'Exact unscaled value, as decimal digits.' }),
    },
    named('RecentItem'),
  ),
  { description: 'The newest periods, one value per period, ordered by period.' },
)

export const recentFeedBody = Type.Object(
  {
    feed_id: Type.String({ description: 'The requested id.' }),
    status: Type.Literal(200),
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    unit: Type.String(),
    frequency: Type.String(),
    count: Type.Integer({ minimum: 0, description: 'Number of attested values, including revisions.' }),
    updated_at: orNull(Type.Integer({ minimum: 0 }), {
      description: 'Block time of the newest attestation, in epoch milliseconds; null without a value.',
    }),
    items: recentItemsBody,
  },
  named('RecentFeed'),
)
export type RecentFeedBody = Static<typeof recentFeedBody>

export const recentBody = Type.Object(
  {
    count: Type.Integer({ minimum: 1, description: 'Number of entries in `results`.' }),
    results: Type.Array(
      Type.Union([
        recentFeedBody,
        Type.Object(
          {
            feed_id: Type.String({ description: 'The requested id.' }),
            status: Type.Union([404, 429, 502, 503].map((status) => Type.Literal(status))),
            error: Type.String({ description: 'Error message.' }),
            retry_after_s: orNull(Type.Integer({ minimum: 0 }), {
              description: 'Seconds to wait before a retry; null if a retry cannot help.',
            }),
          },
          named('RecentError'),
        ),
      ]),
    ),
  },
  named('Recent', 'One result per requested id, in the requested order.'),
)
export type RecentBody = Static<typeof recentBody>

export const feedsBody = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'Number of entries in `feeds`.' }),
    feeds: Type.Array(readingBody),
  },
  named('Feeds', 'Every registered feed that has a value, in registry order.'),
)
export type FeedsBody = Static<typeof feedsBody>

const requestedFeedId = Type.String({ description: 'The requested id.' })

const readingsOf = <T extends TSchema>(reading: T) =>
  Type.Object(
    {
      count: Type.Integer({ minimum: 1, description: 'Number of entries in `results`.' }),
      results: Type.Array(
        Type.Union([
          Type.Object(
            { feed_id: requestedFeedId, status: Type.Literal(200), reading },
            named('ReadingResult'),
          ),
          Type.Object(
            {
              feed_id: requestedFeedId,
              status: Type.Union([Type.Literal(404), Type.Literal(502)]),
              error: Type.String({ description: 'Error message.' }),
            },
            named('ReadingError'),
          ),
        ]),
      ),
    },
    named('Readings', 'One result per requested id, in the requested order.'),
  )

export const readingsBody = readingsOf(
  Type.Partial(readingBody, named('SelectedReading', 'The requested `fields` of a reading; all by default.')),
)
export type ReadingsBody = Static<typeof readingsBody>

/** The response to a request without `fields`. */
export const wholeReadingsBody = readingsOf(readingBody)

const integerOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), { description })

export const statusBody = Type.Object(
  {
    feed_id: Type.String(),
    frequency: Type.String(),
    period: Type.Integer({ minimum: 0, description: 'As in a Reading.' }),
    ...covered,
    attested_at: Type.Integer({ minimum: 0, description: '`updated_at` of the reading.' }),
    age_ms: Type.Integer({
      minimum: 0,
      description: "Time since `attested_at` in milliseconds, by the server's clock.",
    }),
    cadence: orNull(
      Type.Object(
        {
          rule: Type.String(),
          valid_from: Type.String({ description: 'First period of the rule, as a date.' }),
          basis: Type.String({ description: 'Source of the rule.' }),
          is_assumed: Type.Boolean({
            description: 'True if the rule has no source: wattfeed derives it from the frequency.',
          }),
        },
        named('Cadence'),
      ),
      { description: 'The applied release rule; null if the period is not one of this frequency.' },
    ),
    expected_period: integerOrNull('Newest period that EIA should have published by now.'),
    due_at: integerOrNull('When that release was due, in epoch milliseconds; null if only the day is known.'),
    due_on: dateOrNull('Day of `due_at`, in UTC.'),
    next_due_at: integerOrNull(
      'When the next release is due, in epoch milliseconds; null if only the day is known.',
    ),
    next_due_on: dateOrNull('Day of `next_due_at`, in UTC.'),
    max_age_ms: integerOrNull(
      'Maximum age of an attestation under normal conditions, in milliseconds; null if `state` is `unknown`.',
    ),
    state: Type.Union(
      // As in src/feeds/status/feedStatus.ts: a test compares them.
      (['current', 'due', 'late', 'stale', 'unknown'] as const).map((each) => Type.Literal(each)),
      { description: 'Result of the comparison. It cannot distinguish a late EIA from a late agent.' },
    ),
    gaps: orNull(Type.Array(Type.Integer({ minimum: 0 })), {
      description:
        'Periods without a value on chain among the newest ones, oldest first. EIA may have no values for them either. Null until they are read.',
    }),
  },
  named('Status', "A feed's newest value, compared with EIA's release calendar."),
)
export type StatusBody = Static<typeof statusBody>

export const statusesBody = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'Number of entries in `feeds`.' }),
    protocol_version: orNull(Type.String(), {
      description: 'Protocol version of the network that is read, such as "2.2.2"; null while unknown.',
    }),
    feeds: Type.Array(statusBody),
  },
  named('Statuses', 'The status of every feed that /v1/feeds lists, in its order.'),
)
export type StatusesBody = Static<typeof statusesBody>

const punctualityBody = Type.Object(
  {
    releases: Type.Integer({ minimum: 0, description: 'Number of past releases that were compared.' }),
    on_time: Type.Integer({ minimum: 0, description: 'Number of those whose value came within the grace.' }),
    share_on_time: orNull(Type.Number({ minimum: 0, maximum: 1 }), {
      description: '`on_time` / `releases`; null without releases.',
    }),
    median_delay_ms: orNull(Type.Integer(), {
      description:
        'Median of `attested_at` minus the planned time, in milliseconds; negative if values come earlier; null without releases.',
    }),
  },
  named('Punctuality'),
)

const dueAt = integerOrNull('Planned time in epoch milliseconds; null if only the day is known.')
const dueOn = Type.String({ description: 'Day of the planned time, in UTC.' })

export const calendarBody = Type.Object(
  {
    notice: orNull(Type.String(), {
      description: 'Says that the figures are invented; null on a public chain.',
    }),
    icalendar: Type.String({ description: 'Path of the calendar for calendar programs.' }),
    atom: orNull(Type.String(), {
      description: 'Path of the Atom feed; null if the server does not know its public address.',
    }),
    schedules: Type.Array(
      Type.Object(
        {
          schedule: Type.String({ description: 'Name of the schedule.' }),
          rule: Type.String(),
          valid_from: Type.String({ description: 'First period of the rule in force, as a date.' }),
          says: Type.String({ description: 'The rule in words.' }),
          basis: Type.String({ description: 'Source of the rule.' }),
          is_assumed: Type.Boolean({ description: 'True if the rule has no source.' }),
          grace_ms: Type.Integer({
            minimum: 0,
            description: 'Time after a release in which a missing value is normal, in milliseconds.',
          }),
          feed_ids: Type.Array(Type.String(), { description: 'Feeds that get a value from each release.' }),
        },
        closed,
      ),
    ),
    releases: Type.Array(
      Type.Object(
        {
          schedule: Type.String({ description: 'Name of an entry of `schedules`.' }),
          frequency: Type.String({ description: 'Frequency of `period`.' }),
          period: Type.Integer({ description: 'The period whose value is released, as in a Reading.' }),
          ...covered,
          due_at: dueAt,
          due_on: dueOn,
          moved: orNull(
            Type.Object(
              {
                by: Type.String({ description: 'A federal holiday, or `announcement`.' }),
                usual_at: Type.Integer({
                  description: 'The time without the move, in epoch milliseconds.',
                }),
              },
              named('Move'),
            ),
            { description: 'Why the release is not at its usual time; null if it is.' },
          ),
          sequence: Type.Integer({
            minimum: 0,
            description: 'How often the rules have moved the release, as in the iCalendar file.',
          }),
        },
        closed,
      ),
      { description: 'Releases from today (UTC) on, in order.' },
    ),
    punctuality: Type.Object(punctualityBody.properties, {
      ...closed,
      description: 'All feeds whose rule has a source, together.',
    }),
    feeds: Type.Array(
      Type.Object(
        {
          feed_id: Type.String(),
          frequency: Type.String(),
          schedule: orNull(Type.String(), {
            description: 'Name of its schedule; null if its period is not one of its frequency.',
          }),
          punctuality: orNull(punctualityBody, {
            description: 'Null until its values are read.',
          }),
          past: orNull(
            Type.Array(
              Type.Object(
                {
                  period: Type.Integer({ minimum: 0, description: 'As in a Reading.' }),
                  ...covered,
                  due_at: dueAt,
                  due_on: dueOn,
                  attested_at: Type.Integer({
                    minimum: 0,
                    description: 'Block time of the first value of the period, in epoch milliseconds.',
                  }),
                  delay_ms: Type.Integer({
                    description: '`attested_at` minus the planned time; negative if the value came earlier.',
                  }),
                  is_on_time: Type.Boolean({ description: 'Whether it came within the grace.' }),
                },
                named('PastRelease'),
              ),
            ),
            { description: 'The newest past releases, newest first; null until its values are read.' },
          ),
        },
        closed,
      ),
      { description: 'The feeds of /v1/feeds, in its order.' },
    ),
  },
  named('Calendar', 'Planned releases, and how punctual past ones were.'),
)
export type CalendarBody = Static<typeof calendarBody>

/** Other members are those of the standard. @see https://www.w3.org/TR/tabular-metadata/ */
export const tableMetadataBody = Type.Object(
  { url: Type.String({ description: 'URL of the table, relative to the URL of the metadata.' }) },
  { title: 'TableMetadata', description: 'CSV on the Web metadata. `tableSchema` describes the columns.' },
)

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

const proofBlock = (description: string) =>
  Type.Object(
    {
      header: Type.Unknown({
        description: "Header in the node's own JSON. Its blake2b-256 is `hash`.",
      }),
      hash,
      proofs: Type.Unknown({
        description: 'Finality signatures, as the list of `{public_key, signature}` that the node returned.',
      }),
    },
    { ...closed, description },
  )

/** The chain and registries that a server reads, or that a proof is about. */
const registriesBody = Type.Object(
  {
    chain_name: Type.String({ description: 'Name of the chain. Every finality signature covers it.' }),
    feed_registry_package_hash: Type.String(),
    attestation_registry_package_hash: Type.String(),
  },
  closed,
)
export type RegistriesBody = Static<typeof registriesBody>

const provenItem = {
  key: Type.String({ description: 'Key in global state, as a node formats it.' }),
  stored_value: Type.Unknown({ description: "The stored value, in the node's own JSON." }),
  merkle_proof: Type.String({ description: 'Merkle proof to the state root, in hex.' }),
}

const registryItem = (options: { description?: string } = {}) =>
  Type.Object(
    {
      registry: Type.Union([Type.Literal('FeedRegistry'), Type.Literal('AttestationRegistry')]),
      ...provenItem,
    },
    { ...closed, ...options },
  )

const proofItems = (description: string) => Type.Array(registryItem(), { description })

const trieEvidence = [
  Type.Object(
    { merkle_proof: Type.String({ description: 'Merkle proof of another value, in hex.' }) },
    named('MerkleProofEvidence'),
  ),
  Type.Object(
    {
      trie_elements: Type.Unsafe<readonly string[]>(
        Type.Array(Type.String(), {
          description: 'Elements of the trie in hex, from the state root down.',
        }),
      ),
    },
    named('TrieElementsEvidence'),
  ),
] as const

const attesterProof = Type.Object(
  {
    claimant: registryItem({
      description: 'The claimant of the feed. With `unclaimed`, the owner of the FeedRegistry.',
    }),
    unclaimed: Type.Optional(
      Type.Union([...trieEvidence], {
        description: 'Shows that the feed was registered before claims, so that it has no claimant.',
      }),
    ),
    account: Type.Optional(
      Type.Object(provenItem, {
        ...closed,
        description: 'The account of the claimant, with its keys; absent for a contract.',
      }),
    ),
  },
  named('AttesterProof'),
)

const proofFormat = Type.Literal(2, { description: 'Format of the proof.' })

const provenAtBlock = {
  block: proofBlock('The final block whose state root contains the items.'),
  switch_blocks: Type.Array(
    proofBlock('The last block of an era. It names the validators of the next era.'),
    {
      description: 'From the requested `from` to the last one before the era of `block`, oldest first.',
    },
  ),
}

export const feedProofBody = Type.Object(
  {
    format: proofFormat,
    reading: readingBody,
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Index of a past value in the feed's history; absent for the newest value.",
      }),
    ),
    count: Type.Integer({
      minimum: 1,
      description: "Number of the feed's values. The newest value is the last one.",
    }),
    registries: registriesBody,
    items: proofItems('Package, contract and dictionary item of each registry, then the item of `count`.'),
    attester: Type.Optional(
      orNull(attesterProof, {
        description:
          'Who may attest to the feed, if `attester=1` was requested; null if it cannot be proven.',
      }),
    ),
    ...provenAtBlock,
  },
  named('FeedProof', 'Everything that an offline check of a reading needs.'),
)
export type FeedProofBody = Static<typeof feedProofBody>

export const feedsProofBody = Type.Object(
  {
    format: proofFormat,
    feed_count: Type.Integer({ minimum: 0, description: 'Number of registered feeds.' }),
    feed_ids: Type.Array(Type.String(), { description: 'Ids of all feeds, in the order of registration.' }),
    registries: registriesBody,
    items: proofItems('Package and contract of the FeedRegistry, its number of feeds, then each id.'),
    ...provenAtBlock,
  },
  named('FeedsProof', 'Everything that an offline check of the complete list of feeds needs.'),
)
export type FeedsProofBody = Static<typeof feedsProofBody>

const seriesKey = {
  route: Type.String({ description: "EIA's route below /v2/." }),
  frequency: Type.String({ description: "EIA's frequency." }),
  column: Type.String({ description: "EIA's id of the column." }),
  facets: Type.Record(Type.String(), orNull(Type.String(), {}), {
    description: "Every facet of the dataset by its id; null where EIA's rows have none.",
  }),
}

/** What leaves of one dataset say of the root that has them. */
const ofRoot = {
  feed_id: Type.String({ description: "Id of the feed that has the dataset's roots." }),
  root: hash,
  size: Type.Integer({ minimum: 1, description: 'Number of values in the dataset.' }),
  attested_at: Type.Integer({
    minimum: 0,
    description: 'Block time of the attestation of the root, in epoch milliseconds.',
  }),
  index: Type.Integer({
    minimum: 0,
    description: "Index of that attestation in the feed's history, from 0.",
  }),
  is_newest_root: Type.Boolean({
    description:
      'False if the server has no snapshot of the newest root yet, and answers from an earlier one.',
  }),
}

export const seriesBody = Type.Object(
  {
    ...seriesKey,
    period: Type.String({ description: "EIA's text of the period." }),
    ...covered,
    value: orNull(Type.String(), {
      description:
        'The value as EIA sent it, with every digit; null if it is withheld. EIA also withholds values by a text, such as `w` or `NA`.',
    }),
    unit: orNull(Type.String(), { description: 'Null if the row has none.' }),
    ...ofRoot,
    leaf_index: Type.Integer({ minimum: 0, description: 'Index of the value in the dataset.' }),
    proof: Type.String({ description: 'Path of the proof of this value, by the same root.' }),
  },
  named('Series', 'One value of a series of a dataset, by a root on chain.'),
)
export type SeriesBody = Static<typeof seriesBody>

const { route: tableRoute, frequency: tableFrequency, ...tableKey } = seriesKey

export const seriesTableBody = Type.Object(
  {
    route: tableRoute,
    frequency: tableFrequency,
    ...ofRoot,
    total: Type.Integer({ minimum: 0, description: 'Number of rows of all pages.' }),
    complete: orNull(Type.Literal(true), {
      description:
        'True if the leaves beside the rows show that there are no others, for a list of series or for one run of leaves. It holds if the attester of the root had sorted the values. Null for any other table: nothing shows whether it has all rows.',
    }),
    row_proof: Type.String({
      description:
        'Address of the proof of a row, a URI template (RFC 6570) of its `column`, `period` and facets. The proof is by the same root.',
    }),
    rows: Type.Array(
      Type.Object(
        {
          ...tableKey,
          period: Type.String({ description: "EIA's text of the period." }),
          value: orNull(Type.String(), {
            description: 'The value as EIA sent it, with every digit; null if it is withheld.',
          }),
          unit: orNull(Type.String(), { description: 'Null if the row has none.' }),
          leaf_index: Type.Integer({ minimum: 0, description: 'Index of the value in the dataset.' }),
        },
        closed,
      ),
      { description: 'Each is checked against the root.' },
    ),
    next: orNull(Type.String(), {
      description: 'Path of the next page, of the same root; null on the last.',
    }),
  },
  named('SeriesTable', 'A page of rows of a dataset, by a root on chain.'),
)
export type SeriesTableBody = Static<typeof seriesTableBody>

export const seriesProofBody = Type.Object(
  {
    error: Type.Optional(Type.String({ description: 'Error message, if there is no such value.' })),
    format: Type.Literal(1, { description: 'Format of the proof.' }),
    series: Type.Object(
      { ...seriesKey, period: orNull(Type.String(), { description: 'Null for the newest.' }) },
      closed,
    ),
    statement: Type.Union(
      (['value', 'newest', 'no_period', 'no_series'] as const).map((each) => Type.Literal(each)),
      { description: 'What the leaves show.' },
    ),
    leaves: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0 }),
          leaf: Type.String({ description: 'JSON text of the value, as it is hashed.' }),
          path: Type.Array(Type.String(), { description: 'Hashes beside its way to the root, in hex.' }),
        },
        closed,
      ),
      { description: 'One or two neighboring leaves of the tree.' },
    ),
    root: feedProofBody,
  },
  named('SeriesProof', 'Everything that an offline check of a series of a dataset needs.'),
)
export type SeriesProofBody = Static<typeof seriesProofBody>

const { feed_id, root, size, attested_at, index, is_newest_root } = seriesBody.properties
const { period, period_start, period_end, value, unit, leaf_index } = seriesBody.properties

const coversFrom = orNull(Type.String(), {
  description:
    "EIA's text of the first period of any value of the root, as its snapshot states it, which nothing proves; null if it does not.",
})

export const seriesHistoryBody = Type.Object(
  {
    ...seriesKey,
    ...{ feed_id, root, size, attested_at, index, is_newest_root },
    covers_from: coversFrom,
    items: Type.Array(Type.Object({ period, period_start, period_end, value, unit, leaf_index }, closed), {
      description: 'The values in the requested order: all of them, up to `limit`.',
    }),
    next: orNull(Type.String(), {
      description: 'Path of the next page, which is by the same root; null on the last.',
    }),
    proof: Type.String({ description: 'Path of the proof of this page.' }),
  },
  named('SeriesHistory', 'Values of a series of a dataset, by a root on chain.'),
)
export type SeriesHistoryBody = Static<typeof seriesHistoryBody>

export const seriesRevisionsBody = Type.Object(
  {
    ...seriesKey,
    period,
    feed_id,
    count: Type.Integer({ minimum: 0, description: 'Number of attestations of the feed.' }),
    items: Type.Array(
      Type.Object(
        {
          ...{ index, root, size, attested_at },
          statement: Type.Union(
            (['value', 'no_period', 'no_series', 'not_covered', 'gone'] as const).map((each) =>
              Type.Literal(each),
            ),
            {
              description:
                'What the root says: a value, none for the period, or none of the series. `not_covered`: it was made without the column or with other facets. `gone`: the server does not have its files.',
            },
          ),
          ...{ value, unit },
          leaf_index: orNull(Type.Integer({ minimum: 0 }), {
            description: 'Index of the value in the dataset; null without one.',
          }),
          covers_from: coversFrom,
          proof: orNull(Type.String(), {
            description: 'Path of the proof of this line; null for `not_covered` and `gone`.',
          }),
        },
        closed,
      ),
      {
        description: 'One for each root, in the requested order. Attestations that are no root are left out.',
      },
    ),
    next: orNull(Type.String(), { description: 'Path of the next page; null on the last.' }),
  },
  named('SeriesRevisions', 'What each root of a dataset says of one value.'),
)
export type SeriesRevisionsBody = Static<typeof seriesRevisionsBody>

export const rangeProofBody = Type.Object(
  {
    format: Type.Literal(1, { description: 'Format of the proof.' }),
    range: Type.Object(
      {
        ...seriesKey,
        period_from: orNull(Type.String(), { description: 'The first period; null for no bound.' }),
        period_to: orNull(Type.String(), { description: 'The last period; null for no bound.' }),
        order: Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
          description: 'With a limit, the values are the oldest (`asc`) or the newest (`desc`).',
        }),
        limit: orNull(Type.Integer({ minimum: 1 }), {
          description: 'Maximum number of values; null for all.',
        }),
      },
      closed,
    ),
    index: Type.Integer({ minimum: 0, description: 'Index of the first leaf in the dataset.' }),
    before: orNull(Type.String(), {
      description: 'JSON text of the leaf before them, as it is hashed; null at the start of the dataset.',
    }),
    leaves: Type.Array(Type.Array(orNull(Type.String(), {}), { minItems: 2, maxItems: 3 }), {
      description:
        'All values, oldest first: period, value and unit. One without a unit has that of the value before it.',
    }),
    after: orNull(Type.String(), {
      description: 'JSON text of the leaf after them, as it is hashed; null at the end of the dataset.',
    }),
    hashes: Type.Array(Type.String(), {
      description: 'Hashes beside these leaves, from left to right, in hex.',
    }),
    root: feedProofBody,
  },
  named('SeriesRangeProof', 'Everything that an offline check of all values of a range needs.'),
)
export type RangeProofBody = Static<typeof rangeProofBody>

export const historyProofBody = Type.Object(
  {
    format: proofFormat,
    feed_id: Type.String(),
    count: Type.Integer({ minimum: 1, description: "Number of the feed's values." }),
    values: Type.Array(
      Type.Object(
        {
          period: Type.Integer(),
          amount: Type.String({ description: 'The value times 10^decimals, as decimal text.' }),
          source_hash: Type.String(),
          attester: Type.String(),
          timestamp: Type.Integer({ description: 'Time of the block, in epoch milliseconds.' }),
        },
        closed,
      ),
      { description: 'All values, oldest first.' },
    ),
    registries: registriesBody,
    items: proofItems(
      'Package and contract of the AttestationRegistry, the number of values, then each value.',
    ),
    ...provenAtBlock,
  },
  named('HistoryProof', 'Everything that an offline check of a complete history needs.'),
)
export type HistoryProofBody = Static<typeof historyProofBody>

export const provenanceBody = Type.Object(
  {
    recipe: orNull(
      Type.Object(
        {
          route: Type.String(),
          frequency: Type.String(),
          column: Type.String({ description: 'Column of the value. It is not part of the hash.' }),
          facets: Type.Record(Type.String(), Type.String()),
          unit: orNull(Type.String(), {
            description: "Unit of EIA's rows; null if they have none. The hash then covers the feed's unit.",
          }),
        },
        named('Recipe'),
      ),
      { description: "How to request the feed's rows from EIA; null if unknown." },
    ),
    recipe_source: Type.Union([Type.Literal('description'), Type.Literal('built_in'), Type.Null()], {
      description:
        "Where the recipe is from: the last line of the feed's description, or wattfeed's own list of flagship feeds.",
    }),
    attested: Type.Object(
      {
        index: Type.Integer({ minimum: 0, description: "Index in the feed's history, from 0." }),
        period: Type.Integer({ minimum: 0 }),
        amount: Type.String({ pattern: '^[0-9]+$' }),
        source_hash: Type.String(),
      },
      closed,
    ),
    canonical_template: orNull(Type.String(), {
      description:
        'JSON text to hash. Replace `{value}` with the value as EIA writes it, and `{period}`, which only local-hourly feeds have, with the period of the row.',
    }),
    api_url: orNull(Type.String(), {
      description: "URL of the row in EIA's API, without the key: append `&api_key=`.",
    }),
    claimant: Type.String({
      description:
        'Account or contract that may attest to the feed, `account-hash-…` or `hash-…`, from the FeedRegistry. For feeds registered before claims existed, the owner of the registry.',
    }),
    chain_name: Type.String({ description: 'Name of the chain of `claimant`.' }),
  },
  named('Provenance', 'The EIA request behind an attestation, and the claimant of the feed.'),
)
export type ProvenanceBody = Static<typeof provenanceBody>

const byte = (description: string) => Type.Integer({ minimum: 0, maximum: 255, description })

export const attesterBody = Type.Object(
  {
    feed_id: Type.String(),
    account: Type.String({ description: '`account-hash-…`, or `hash-…` for a contract.' }),
    chain_name: Type.String({ description: 'Name of the chain of `account`.' }),
    authority: orNull(
      Type.Object(
        {
          keys: Type.Array(
            Type.Object(
              {
                account_hash: Type.String({ description: 'Account hash of the public key.' }),
                weight: byte('Weight of its signature.'),
              },
              closed,
            ),
            { description: 'Keys that may sign for the account.' },
          ),
          thresholds: Type.Object(
            {
              deployment: byte('Least total weight of the signatures of a transaction.'),
              key_management: byte('Least total weight of the signatures that change keys or thresholds.'),
            },
            closed,
          ),
          min_signers: Type.Integer({
            minimum: 0,
            description: 'Least number of keys that can sign a transaction together; 0 if no keys suffice.',
          }),
        },
        named('Authority'),
      ),
      {
        description: 'Null for a contract, and for an account that the chain does not have yet.',
      },
    ),
  },
  named('Attester', 'The account that may attest to a feed, and its keys, at one state root.'),
)
export type AttesterBody = Static<typeof attesterBody>

export const transactionBody = Type.Object(
  {
    feed_id: Type.String(),
    index: Type.Integer({ minimum: 0, description: "Index in the feed's history, from 0." }),
    transaction_hash: hash,
    block: Type.Object(
      {
        hash,
        height: Type.Integer({ minimum: 0 }),
        timestamp: Type.Integer({ minimum: 0, description: 'Time of the block, in epoch milliseconds.' }),
      },
      closed,
    ),
    is_listed: Type.Boolean({
      description:
        "Whether the block's list of transactions was verified. False if the block has a kind of transaction of a later protocol.",
    }),
    initiator: Type.String({ description: 'The account that paid: `account-hash-…`' }),
    signers: Type.Array(
      Type.Object(
        {
          public_key: Type.String({ description: "Hex, prefixed with the algorithm's byte." }),
          account_hash: Type.String(),
          weight: orNull(
            byte('Weight of the key in the account as of the block; 0 if the account does not have it.'),
            { description: 'Null if no node keeps the state of the block any longer.' },
          ),
        },
        closed,
      ),
      {
        description:
          'Keys with a valid signature of the transaction. Only keys with a weight count: nodes accept signatures of other keys.',
      },
    ),
  },
  named('Transaction', 'The transaction that attested a value, and the keys that signed it.'),
)
export type TransactionBody = Static<typeof transactionBody>

export const datasetBody = Type.Object(
  {
    route: Type.String({ description: "EIA's route below /v2/." }),
    name: Type.String({ description: "EIA's title." }),
    frequencies: Type.Array(Type.String()),
    columns: Type.Array(Type.String()),
    facets: Type.Array(Type.String()),
  },
  named('Dataset', "One dataset of EIA's API."),
)
export type DatasetBody = Static<typeof datasetBody>

export const datasetsBody = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Number of entries in `datasets`.' }),
    datasets: Type.Array(datasetBody),
  },
  named('Datasets'),
)

export type DatasetsBody = Static<typeof datasetsBody>

export const attestedDatasetBody = Type.Object(
  {
    route: Type.String({ description: "EIA's route below /v2/." }),
    frequency: Type.String({ description: "EIA's frequency." }),
    name: orNull(Type.String(), {
      description: "EIA's title. Null if the catalog does not have the dataset.",
    }),
    columns: Type.Array(Type.String(), { description: 'Ids of the attested columns.' }),
    facets: Type.Array(Type.String(), {
      description: 'Ids of every facet: together they select a series. /v1/datasets/codes lists their codes.',
    }),
    periods: orNull(Type.Integer({ minimum: 1 }), {
      description: 'How many of the newest periods are attested; null for all.',
    }),
    size: Type.Integer({ minimum: 1, description: 'Number of values in the dataset.' }),
    newest_period: orNull(Type.String(), {
      description:
        "EIA's text of the newest period of any series. Null if the integer on chain is not a period of this frequency.",
    }),
    feed_id: Type.String({ description: "Id of the feed that has the dataset's roots." }),
    root: hash,
    attested_at: Type.Integer({
      minimum: 0,
      description: 'Block time of the attestation of the root, in epoch milliseconds.',
    }),
  },
  {
    ...closed,
    description: 'A dataset of which a root is on chain, so that each of its series can be read.',
  },
)
export type AttestedDatasetBody = Static<typeof attestedDatasetBody>

export const attestedDatasetsBody = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Number of entries in `datasets`.' }),
    datasets: Type.Array(attestedDatasetBody),
  },
  { ...closed, description: 'All datasets whose roots are on chain, in the order of registration.' },
)
export type AttestedDatasetsBody = Static<typeof attestedDatasetsBody>

export const codesBody = Type.Object(
  {
    route: Type.String({ description: "EIA's route below /v2/." }),
    frequency: Type.String({ description: "EIA's frequency." }),
    facet: Type.String({ description: 'Id of the facet.' }),
    feed_id: Type.String({ description: "Id of the feed that has the dataset's roots." }),
    root: hash,
    is_newest_root: Type.Boolean({
      description:
        'False if the server has no snapshot of the newest root yet, and answers from an earlier one.',
    }),
    total: Type.Integer({ minimum: 0, description: 'Number of entries in `codes`.' }),
    codes: Type.Array(
      Type.Object(
        {
          id: orNull(Type.String(), {
            description: "EIA's code. Null for values whose rows have none: pass `facet.<id>=` for it.",
          }),
          name: orNull(Type.String(), { description: 'What EIA calls it. Null if the rows do not say.' }),
          values: Type.Integer({ minimum: 1, description: 'Number of values that have it.' }),
        },
        closed,
      ),
      { description: 'In the order of their ids.' },
    ),
  },
  {
    ...closed,
    description:
      'The codes of a facet that a snapshot has. They are not proven: a series that is read with one of them is.',
  },
)
export type CodesBody = Static<typeof codesBody>

export const healthBody = Type.Object(
  {
    status: Type.Literal('ok'),
    service: Type.Literal('wattfeed'),
    datasets: Type.Integer({ minimum: 0, description: 'Number of datasets in the catalog.' }),
  },
  named('Health'),
)
export type HealthBody = Static<typeof healthBody>

const measured = (description: string) => orNull(Type.Number(), { description })

export const readyBody = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether all checks passed.' }),
    checks: Type.Object(
      {
        node: Type.Boolean({ description: 'A node answered.' }),
        chain: orNull(Type.Boolean(), {
          description: 'A node of the configured chain answered. Null if no node answered.',
        }),
        feed_registry: Type.Boolean({ description: 'The FeedRegistry was read.' }),
        attestation_registry: Type.Boolean({ description: 'The AttestationRegistry was read.' }),
        fresh: Type.Boolean({
          description: 'The state root is no older than MAX_STALENESS_MS + REQUEST_DEADLINE_MS.',
        }),
      },
      { ...closed, description: 'Each is true only if this request confirmed it.' },
    ),
    measured: Type.Object(
      {
        root_age_ms: measured('Time since the state root was fetched, in milliseconds.'),
        rpc_ms: measured('Time to get the state root, in milliseconds.'),
        feeds: measured('Number of registered feeds, with or without a value.'),
        block_age_ms: measured(
          "Age of the node's newest block by the server's clock, in milliseconds. With VERIFY=off, the block is read every 15 s.",
        ),
        undecodable: measured(
          'Number of feeds that are not listed because they cannot be decoded. A request for one returns 502.',
        ),
      },
      { ...closed, description: 'Null if unknown.' },
    ),
    verification: Type.Union(
      [
        Type.Null(),
        Type.Object(
          {
            level: Type.Union([Type.Literal('proofs'), Type.Literal('full')]),
            block_height: Type.Integer(),
            block_hash: Type.String(),
            era_id: Type.Integer(),
            weight_signed: Type.String({
              description:
                'Weight of the checked signatures, in motes. Checking stops as soon as the weight is sufficient.',
            }),
            weight_total: Type.String({ description: 'Weight of all validators of the era, in motes.' }),
            age_ms: Type.Integer({ description: 'Age of the block when it was read, in milliseconds.' }),
            absence_shown_by: Type.Union(
              [
                Type.Null(),
                Type.Literal('count'),
                Type.Literal('proof'),
                Type.Literal('walk'),
                Type.Literal('second_node'),
                Type.Literal('one_node'),
              ],
              {
                description:
                  'How the latest absence of a value was shown. `second_node` and `one_node` are not proofs. Null before the first.',
              },
            ),
          },
          named('Verification'),
        ),
      ],
      { description: 'The verified block; null with VERIFY=off.' },
    ),
  },
  named('Ready'),
)
export type ReadyBody = Static<typeof readyBody>

export const apiIndexBody = Type.Object(
  {
    service: Type.Literal('wattfeed'),
    version: Type.String(),
    registries: registriesBody,
    endpoints: Type.Record(Type.String(), Type.String()),
  },
  named('Index'),
)
export type ApiIndexBody = Static<typeof apiIndexBody>

const feedAbsence = Type.Object(
  {
    format: proofFormat,
    feed_id: Type.String(),
    absent: Type.Union([Type.Literal('feed'), Type.Literal('value')], {
      description: '`feed`: it is not registered. `value`: it has no value.',
    }),
    registries: registriesBody,
    items: proofItems('Package and contract of the registry that lacks the item.'),
    evidence: Type.Union(
      [
        ...trieEvidence,
        Type.Object(
          { ids: proofItems('The number of feeds, then each registered id.') },
          named('FeedIdsEvidence'),
        ),
      ],
      { description: 'One kind of evidence that the item is absent.' },
    ),
    ...provenAtBlock,
  },
  named('Absence', 'Everything that an offline check of an absence needs.'),
)

export const feedAbsenceBody = Type.Object(
  {
    error: Type.String({ description: 'Error message.' }),
    absence: orNull(feedAbsence, {
      description: 'Proof that the feed is not registered or has no value; null if there is no evidence.',
    }),
  },
  named('FeedAbsence'),
)

export type FeedAbsenceBody = Static<typeof feedAbsenceBody>

export const errorBody = Type.Object(
  { error: Type.String({ description: 'Error message.' }) },
  named('Error'),
)
export type ErrorBody = Static<typeof errorBody>

export const seriesAbsenceBody = Type.Union([seriesProofBody, errorBody], {
  title: 'SeriesAbsence',
  description: 'The proof that there is no such value, or an error without a proof.',
})
