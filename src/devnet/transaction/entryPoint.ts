import { textOf, variantOf } from '../params.ts'
import { encodeCalltable } from './calltable.ts'
import { encodeText } from './encode.ts'

const CALL = 0
const CUSTOM = 1
const FIRST_NATIVE = 2

const encodeTag = (tag: number): Uint8Array => encodeCalltable([Uint8Array.of(tag)])

/** Entry points of native transactions, in the order of the bytes that stand for them. */
const natives = [
  'Transfer',
  'AddBid',
  'WithdrawBid',
  'Delegate',
  'Undelegate',
  'Redelegate',
  'ActivateBid',
  'ChangeBidPublicKey',
  'AddReservations',
  'CancelReservations',
  'Burn',
] as const

/** What a TransactionV1 calls in its target. */
export interface EntryPoint {
  kind: 'call' | 'custom' | 'native'
  name: string
  bytes: Uint8Array
  json: unknown
}

/** Reads an entry point. Throws an `InvalidParamsError`. */
export function parseEntryPoint(value: unknown): EntryPoint {
  const { name, content } = variantOf(value, ['Call', 'Custom', ...natives])
  if (name === 'Custom') {
    const custom = textOf(content)
    return {
      kind: 'custom',
      name: custom,
      bytes: encodeCalltable([Uint8Array.of(CUSTOM), encodeText(custom)]),
      json: { Custom: custom },
    }
  }
  if (name === 'Call') return { kind: 'call', name: 'call', bytes: encodeTag(CALL), json: name }
  return { kind: 'native', name, bytes: encodeTag(FIRST_NATIVE + natives.indexOf(name)), json: name }
}
