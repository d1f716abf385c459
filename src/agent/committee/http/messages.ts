import { type Static, Type } from '@sinclair/typebox'
import { Refusal } from '../refusal.ts'

export const paths = {
  proposals: '/v1/proposals',
  approvals: '/v1/approvals',
  announcements: '/v1/announcements',
  terms: '/v1/terms',
} as const

/** The largest body of a request and of an answer. */
export const MAX_BODY_BYTES = 65_536

/** Says that a feed has a new value. */
export const Announcement = Type.Object({ feed_id: Type.String({ minLength: 1, maxLength: 256 }) })

/** The answer to a proposal, an approval or an announcement. */
export const MemberAnswer = Type.Object({
  refusal: Type.Union([Refusal, Type.Null()]),
  /** For the header `wattfeed-ticket` of the sender's next requests. */
  ticket: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
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
