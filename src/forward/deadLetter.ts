import { type Static, Type } from '@sinclair/typebox'

const text = Type.String()

/** A message that was not delivered, in a row of `forward.db`. */
export const DeadLetter = Type.Object({
  id: text,
  type: Type.Union([Type.Literal('attested'), Type.Literal('feed'), Type.Literal('reset')]),
  feed_id: Type.Union([Type.Null(), text]),
  position: text,
  /** When the forwarder gave up, in epoch milliseconds. */
  failed_at: Type.Integer(),
  attempts: Type.Integer({ minimum: 1 }),
  status: Type.Union([Type.Null(), Type.Integer()]),
  reason: text,
  body: text,
})

export type DeadLetter = Static<typeof DeadLetter>
