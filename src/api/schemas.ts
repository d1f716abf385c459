import { type Static, type TSchema, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false }

/** A Reading as JSON: `amount` is a decimal string, since JSON numbers lose digits above 2^53. */
export const readingBody = Type.Object(
  {
    feed_id: Type.String({ description: 'Case-sensitive; may hold any character.' }),
    decimals: Type.Integer({
      minimum: 0,
      maximum: 255,
      description: "How many of the amount's digits follow the decimal point.",
    }),
    unit: Type.String({ description: 'Unit of `value`, for people.' }),
    title: Type.String(),
    source: Type.String({ description: 'Who publishes the statistic.' }),
    route: Type.String({ description: 'The EIA route that the values come from; see /v1/datasets.' }),
    frequency: Type.String({ description: "How often a value appears, in EIA's terms." }),
    description: Type.String(),
    value: Type.Number({ description: 'The double nearest to amount / 10^decimals.' }),
    amount: Type.String({ pattern: '^[0-9]+$', description: 'The exact unscaled value, as decimal digits.' }),
    period: Type.Integer({
      minimum: 0,
      description: 'The period as an integer, 20261120 for a day; above 2^53 the nearest double.',
    }),
    source_hash: Type.String({
      description: "First 32 hex digits of the SHA-256 over the canonical JSON of the value's source.",
    }),
    updated_at: Type.Integer({
      minimum: 0,
      description: 'Block time of the attestation, in epoch milliseconds.',
    }),
  },
  { ...closed, description: 'Metadata and newest value of one feed, at one state root.' },
)
export type ReadingBody = Static<typeof readingBody>

export const historyItemsBody = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ minimum: 0, description: 'In the order of attestation, from 0.' }),
      period: Type.Integer({ minimum: 0, description: 'As in a Reading.' }),
      period_start: Type.Union([Type.String(), Type.Null()], {
        description:
          "The period's first day, or of an hourly one its time in UTC; null if the integer is none of the frequency.",
      }),
      value: Type.Number({ description: 'The double nearest to amount / 10^decimals.' }),
      amount: Type.String({
        pattern: '^[0-9]+$',
        description: 'The exact unscaled value, as decimal digits.',
      }),
      revision: Type.Integer({
        minimum: 0,
        description:
          "0 for the period's first print, one more for each other value; the same value attested again keeps it.",
      }),
      source_hash: Type.String(),
      attester: Type.String({ description: '`account-hash-…` or `hash-…`' }),
      attested_at: Type.Integer({ minimum: 0, description: 'Block time in epoch milliseconds.' }),
    },
    closed,
  ),
)
export type HistoryItemBody = Static<typeof historyItemsBody>[number]

const historyFields = { feed_id: Type.String(), decimals: Type.Integer({ minimum: 0, maximum: 255 }) }

export const historyPageBody = Type.Object(
  {
    ...historyFields,
    unit: Type.String(),
    frequency: Type.String(),
    count: Type.Integer({ minimum: 0, description: 'How many values were ever attested.' }),
    items: historyItemsBody,
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the next page; null after the last.',
    }),
    permalink: Type.String({
      description: 'Path that always answers with these items, or with 409: it may be cached for ever.',
    }),
  },
  closed,
)
export type HistoryPageBody = Static<typeof historyPageBody>

export const historyBody = Type.Union(
  [
    historyPageBody,
    Type.Object({ ...historyFields, items: historyItemsBody }, { ...closed, description: 'With `pin`.' }),
  ],
  { description: "A page of a feed's values." },
)
export type HistoryBody = Static<typeof historyBody>

export const feedsBody = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many entries `feeds` has.' }),
    feeds: Type.Array(readingBody),
  },
  { ...closed, description: 'Every feed that is registered and has a value, in registry order.' },
)
export type FeedsBody = Static<typeof feedsBody>

const feedIdAsked = Type.String({ description: 'As it was asked for.' })

const readingsOf = <T extends TSchema>(reading: T) =>
  Type.Object(
    {
      count: Type.Integer({ minimum: 1, description: 'How many entries `results` has.' }),
      results: Type.Array(
        Type.Union([
          Type.Object({ feed_id: feedIdAsked, status: Type.Literal(200), reading }, closed),
          Type.Object(
            {
              feed_id: feedIdAsked,
              status: Type.Union([Type.Literal(404), Type.Literal(502)]),
              error: Type.String({ description: 'What went wrong, in words.' }),
            },
            closed,
          ),
        ]),
      ),
    },
    { ...closed, description: 'What was found of each feed, in the order asked for.' },
  )

export const readingsBody = readingsOf(Type.Partial(readingBody))
export type ReadingsBody = Static<typeof readingsBody>

/** The answer to a request that does not choose `fields`. */
export const wholeReadingsBody = readingsOf(readingBody)

const integerOrNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const dateOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const statusBody = Type.Object(
  {
    feed_id: Type.String(),
    frequency: Type.String(),
    period: Type.Integer({ minimum: 0, description: 'As in a Reading.' }),
    period_end: Type.Union([Type.String(), Type.Null()], {
      description:
        "The period's last day, or of an hourly one its time in UTC; null if the integer is none of the frequency.",
    }),
    attested_at: Type.Integer({ minimum: 0, description: '`updated_at` of the reading.' }),
    age_ms: Type.Integer({ minimum: 0, description: "`attested_at` until now, by this machine's clock." }),
    cadence: Type.Union(
      [
        Type.Object(
          {
            rule: Type.String(),
            valid_from: Type.String({ description: 'The first period that it is of, as a date.' }),
            basis: Type.String({ description: 'Who says so.' }),
            is_assumed: Type.Boolean({
              description: 'Whether nobody does: wattfeed assumes it from the frequency.',
            }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'The rule applied; null if the period is none of the frequency.' },
    ),
    expected_period: integerOrNull('The newest period that EIA should have published by now.'),
    due_at: integerOrNull('When it should have, in epoch milliseconds; null if only the day is known.'),
    due_on: dateOrNull('The day of that, in UTC.'),
    next_due_at: integerOrNull(
      'When it should publish the next one, in epoch milliseconds; null if only the day is known.',
    ),
    next_due_on: dateOrNull('The day of that, in UTC.'),
    max_age_ms: integerOrNull(
      'How old the attestation may be while all goes as usual, in milliseconds; null for `unknown`.',
    ),
    state: Type.Union(
      (['current', 'due', 'late', 'stale', 'unknown'] as const).map((each) => Type.Literal(each)),
      { description: 'Advice: nobody can tell from outside whether EIA or the agent is late.' },
    ),
    gaps: Type.Union([Type.Array(Type.Integer({ minimum: 0 })), Type.Null()], {
      description:
        'Periods that the chain lacks between the newest values, oldest first; EIA need not have them. Null while they are not read.',
    }),
  },
  { ...closed, description: "A feed's newest value against the calendar of EIA's releases." },
)
export type StatusBody = Static<typeof statusBody>

export const statusesBody = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many entries `feeds` has.' }),
    feeds: Type.Array(statusBody),
  },
  { ...closed, description: 'The status of every feed that /v1/feeds lists, in its order.' },
)
export type StatusesBody = Static<typeof statusesBody>

/** The rest has the names of the standard. @see https://www.w3.org/TR/tabular-metadata/ */
export const tableMetadataBody = Type.Object(
  { url: Type.String({ description: 'Address of the table, relative to this one.' }) },
  { description: 'CSV on the Web metadata: `tableSchema` has the columns.' },
)

const proofBlock = (description: string) =>
  Type.Object(
    {
      header: Type.Unknown({
        description: "The header in the node's own JSON: its blake2b-256 is the hash.",
      }),
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      proofs: Type.Unknown({
        description: 'Finality signatures: a list of `{public_key, signature}`, as the node served it.',
      }),
    },
    { ...closed, description },
  )

/** What a server reads, or a proof is of. */
const registriesBody = Type.Object(
  {
    chain_name: Type.String({ description: 'Every finality signature signs it.' }),
    feed_registry_package_hash: Type.String(),
    attestation_registry_package_hash: Type.String(),
  },
  closed,
)
export type RegistriesBody = Static<typeof registriesBody>

export const feedProofBody = Type.Object(
  {
    reading: readingBody,
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Place of a past value in the feed's history; absent for the newest.",
      }),
    ),
    registries: registriesBody,
    items: Type.Array(
      Type.Object(
        {
          registry: Type.Union([Type.Literal('FeedRegistry'), Type.Literal('AttestationRegistry')]),
          key: Type.String({ description: 'The key in global state, as a node formats it.' }),
          stored_value: Type.Unknown({ description: "In the node's own JSON." }),
          merkle_proof: Type.String({ description: 'Hex of the proof that leads to the state root.' }),
        },
        closed,
      ),
      { description: 'Package, contract and dictionary item of each registry.' },
    ),
    block: proofBlock('The final block whose state root the items lead to.'),
    switch_blocks: Type.Array(
      proofBlock('The last block of an era, which names the validators of the next.'),
      {
        description: 'From the one that `from` names to the one before the era of `block`, oldest first.',
      },
    ),
  },
  { ...closed, description: 'Everything needed to check a reading offline.' },
)
export type FeedProofBody = Static<typeof feedProofBody>

export const provenanceBody = Type.Object(
  {
    recipe: Type.Union(
      [
        Type.Object(
          {
            route: Type.String(),
            frequency: Type.String(),
            column: Type.String({ description: 'The one part that is not hashed.' }),
            facets: Type.Record(Type.String(), Type.String()),
            unit: Type.Union([Type.String(), Type.Null()], {
              description: "The unit of EIA's rows; null where they have none that is hashed: the feed's is.",
            }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: "How to ask EIA for the feed's rows; null if unknown." },
    ),
    recipe_source: Type.Union([Type.Literal('description'), Type.Literal('built_in'), Type.Null()], {
      description: "The last line of the feed's description, or the flagship feeds that wattfeed knows.",
    }),
    attested: Type.Object(
      {
        index: Type.Integer({ minimum: 0, description: "In the feed's history, from 0." }),
        period: Type.Integer({ minimum: 0 }),
        amount: Type.String({ pattern: '^[0-9]+$' }),
        source_hash: Type.String(),
      },
      closed,
    ),
    canonical_template: Type.Union([Type.String(), Type.Null()], {
      description:
        'The JSON text to hash once `{value}` is replaced by the value as EIA writes it, and `{period}`, which only local-hourly feeds have, by the period of the row.',
    }),
    api_url: Type.Union([Type.String(), Type.Null()], {
      description: "EIA's address of the row; add `&api_key=`.",
    }),
    claimant: Type.String({
      description:
        'Who may attest to the feed, `account-hash-…` or `hash-…`, as the FeedRegistry holds it; its owner for feeds that were registered before claims existed.',
    }),
    chain_name: Type.String({ description: 'The network that `claimant` is an account or a contract of.' }),
  },
  { ...closed, description: 'What it takes to recheck an attestation with EIA, and who may attest.' },
)
export type ProvenanceBody = Static<typeof provenanceBody>

export const datasetBody = Type.Object(
  {
    route: Type.String({ description: "EIA's route, below /v2/." }),
    name: Type.String({ description: "EIA's title." }),
    frequencies: Type.Array(Type.String()),
    columns: Type.Array(Type.String()),
    facets: Type.Array(Type.String()),
  },
  { ...closed, description: 'One dataset of the upstream API.' },
)
export type DatasetBody = Static<typeof datasetBody>

export const datasetsBody = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'How many entries `datasets` has.' }),
    datasets: Type.Array(datasetBody),
  },
  closed,
)

export type DatasetsBody = Static<typeof datasetsBody>

export const healthBody = Type.Object(
  {
    status: Type.Literal('ok'),
    service: Type.Literal('wattfeed'),
    datasets: Type.Integer({ minimum: 0, description: 'How many datasets the catalog holds.' }),
  },
  closed,
)
export type HealthBody = Static<typeof healthBody>

const measured = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const readyBody = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether every check holds.' }),
    checks: Type.Object(
      {
        node: Type.Boolean({ description: 'A node answered.' }),
        chain: Type.Boolean({ description: 'A node of the configured chain answered.' }),
        feed_registry: Type.Boolean({ description: 'The FeedRegistry was read.' }),
        attestation_registry: Type.Boolean({ description: 'The AttestationRegistry was read.' }),
        fresh: Type.Boolean({
          description: 'The state root is no older than MAX_STALENESS_MS + REQUEST_DEADLINE_MS.',
        }),
      },
      { ...closed, description: 'True only if this request has shown it.' },
    ),
    measured: Type.Object(
      {
        root_age_ms: measured('Age of the state root since it was fetched, in milliseconds.'),
        rpc_ms: measured('How long the state root took to get, in milliseconds.'),
        feeds: measured('How many feeds are registered, with or without a value.'),
        block_age_ms: measured(
          "Age of the answering node's newest block by this machine's clock, in milliseconds; with VERIFY=off as of 15 s ago.",
        ),
        undecodable: measured(
          'How many feeds the list leaves out because they do not decode; each answers 502.',
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
              description: 'Weight that signed, in motes; counting stops once it suffices.',
            }),
            weight_total: Type.String({ description: 'Weight of all validators of the era, in motes.' }),
            age_ms: Type.Integer({ description: 'How old the block was when it was read, in milliseconds.' }),
          },
          closed,
        ),
      ],
      { description: 'What was verified about the block; null with VERIFY=off.' },
    ),
  },
  closed,
)
export type ReadyBody = Static<typeof readyBody>

export const apiIndexBody = Type.Object(
  {
    service: Type.Literal('wattfeed'),
    version: Type.String(),
    registries: registriesBody,
    endpoints: Type.Record(Type.String(), Type.String()),
  },
  closed,
)
export type ApiIndexBody = Static<typeof apiIndexBody>

export const errorBody = Type.Object(
  { error: Type.String({ description: 'What went wrong, in words.' }) },
  closed,
)
export type ErrorBody = Static<typeof errorBody>
