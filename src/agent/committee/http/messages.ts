import { type Static, Type } from '@sinclair/typebox'
import { sideLimits } from '@wattfeed/dataset/compare'
import { Refusal } from '../refusal.ts'

export const paths = {
  proposals: '/v1/proposals',
  approvals: '/v1/approvals',
  announcements: '/v1/announcements',
  digests: '/v1/digests',
  leaves: '/v1/leaves',
  terms: '/v1/terms',
} as const

/** The largest body of a request, and of an answer that is JSON. */
export const MAX_BODY_BYTES = 65_536

/** The media type of an answer with bytes. */
export const BYTES = 'application/octet-stream'

const FeedId = Type.String({ minLength: 1, maxLength: 256 })
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** The most leaves of a snapshot: a range has their number in 32 bits. */
const MAX_LEAVES = 2 ** 32 - 1
/** The last time that a `Date` can have, in epoch milliseconds. */
const MAX_TIME = 8.64e15

/** Says that a feed has a new value; of a dataset also which snapshot the member holds. */
export const Announcement = Type.Object({
  feed_id: FeedId,
  root: Type.Optional(
    Type.Object({
      root: Hash,
      /** Number of leaves. */
      size: Type.Integer({ minimum: 1, maximum: MAX_LEAVES }),
      /** The newest one, as in the feed's values. */
      period: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      /** When the member began to read it from EIA, in epoch milliseconds. */
      began: Type.Integer({ minimum: 0, maximum: MAX_TIME }),
    }),
  ),
})

const snapshot = { feed_id: FeedId, root: Hash }
const Index = Type.Integer({ minimum: 0, maximum: MAX_LEAVES })

/** Asks for ranges of a snapshot, as `Side.digestsOf` does. The answer is its bytes. */
export const DigestsRequest = Type.Object({
  ...snapshot,
  level: Type.Integer({ minimum: 0, maximum: 4 }),
  /** Of each range, the index of its first leaf, and the index after its last one. */
  runs: Type.Array(Type.Tuple([Index, Index]), { minItems: 1, maxItems: sideLimits.runs }),
})

/** Asks for leaves of a snapshot, as `Side.leavesOf` does. The answer is its bytes. */
export const LeavesRequest = Type.Object({
  ...snapshot,
  indices: Type.Array(Index, { minItems: 1, maxItems: sideLimits.leaves }),
})

/** The answer to a proposal, an approval or an announcement. */
export const MemberAnswer = Type.Object({
  refusal: Type.Union([Refusal, Type.Null()]),
  /** For the header `wattfeed-ticket` of the sender's next requests. */
  ticket: Type.Optional(Hash),
})
export type MemberAnswer = Static<typeof MemberAnswer>

const NonNegative = Type.Integer({ minimum: 0 })

/** The root of a dataset that a member holds. */
const ToldRoot = Type.Object({
  feed_id: Type.String({ minLength: 1, maxLength: 256 }),
  root: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Number of values. */
  size: Type.Integer({ minimum: 1 }),
  /** The newest period, as on chain. */
  period: Type.Integer(),
  /** When it began to read it from EIA, in epoch milliseconds. */
  began: NonNegative,
  /** Where another member's snapshot first differs, for people. */
  differs: Type.Optional(Type.String({ maxLength: 1_000 })),
})
export type ToldRoot = Static<typeof ToldRoot>

/** What the members of a committee must agree on, their clocks, and the roots that they hold. */
export const Terms = Type.Object({
  /** Account hash of the member's key. */
  member: Type.String(),
  version: Type.String(),
  /** The committee's account: `account-hash-…` */
  account: Type.String(),
  chain_name: Type.String(),
  feed_registry_package_hash: Type.String(),
  attestation_registry_package_hash: Type.String(),
  /** `LOOK_BACK` */
  look_back: NonNegative,
  /** `CATCH_UP` */
  catch_up: NonNegative,
  /** The most values of a transaction. */
  max_values: NonNegative,
  /** The most that it pays for a transaction of one value, and of several. */
  payment_motes: Type.String(),
  payment_many_motes: Type.String(),
  slot_ms: NonNegative,
  lifetime_ms: NonNegative,
  /** The member's clock, in epoch milliseconds. */
  clock: NonNegative,
  /** The newest block that it knows; null if it has read none. */
  block: Type.Union([Type.Object({ height: NonNegative, time: NonNegative }), Type.Null()]),
  /** Earlier versions have none. */
  roots: Type.Optional(Type.Array(ToldRoot, { maxItems: 1_000 })),
})
export type Terms = Static<typeof Terms>

/** The terms that do not change while a member runs. */
export type FixedTerms = Omit<Terms, 'clock' | 'block' | 'roots'>
