import { type Static, Type } from '@sinclair/typebox'

const Value = Type.Object({
  period: Type.Integer(),
  /** The value times 10^decimals. */
  amount: Type.String({ pattern: '^[0-9]{1,155}$' }),
  source_hash: Type.String(),
})

/** A value in a refusal. */
export type RefusedValue = Static<typeof Value>

/** Why a member does not approve a proposal, as it answers other members. */
export const Refusal = Type.Union([
  Type.Object({
    code: Type.Literal('different_value'),
    feed_id: Type.String(),
    proposed: Value,
    /** The value that this member fetched, or the chain's. */
    own: Value,
  }),
  Type.Object({
    code: Type.Literal('conflicting_approval'),
    feed_id: Type.String(),
    /** The transaction that this member approved; null if another process holds the feed. */
    transaction_hash: Type.Union([Type.String(), Type.Null()]),
    /** When that expires, in epoch milliseconds of chain time; null if that is not known. */
    until: Type.Union([Type.Integer(), Type.Null()]),
  }),
  Type.Object({
    code: Type.Union([
      Type.Literal('stale_node'),
      Type.Literal('unknown_feed'),
      Type.Literal('invalid_terms'),
      Type.Literal('not_released'),
      Type.Literal('not_leader'),
    ]),
    /** The violated rule and the offending value. */
    detail: Type.String(),
  }),
])
export type Refusal = Static<typeof Refusal>

/** The codes without values of their own. */
type PlainCode = Extract<Refusal, { detail: string }>['code']

/** Returns a refusal that says why in words. */
export const refuse = (code: PlainCode, detail: string): Refusal => ({ code, detail })

/**
 * Whether the member may approve the proposal later. It keeps such a proposal until it expires. EIA may publish or revise a
 * value, the member's node may show a later block, and the feeds file may change; the leader of a slot does not.
 */
export const isTemporary = ({ code }: Refusal): boolean => code !== 'not_leader'
