import { type Cursor, memberAt } from '@wattfeed/base'
import { type Arguments, accountHashOfHex, type ClValue, clU64 } from '@wattfeed/casper/types'
import type { Exchange } from '@wattfeed/casper-devnet/testing/exchange'
import { exchangeOf, transactions } from '@wattfeed/casper-devnet/testing/recordings'
import { recordedItem, recordedItems } from 'wattfeed/testing/recordedItems'
import { decodeField } from '../../../packages/casper/src/odra/field.ts'
import { readAddress } from '../../../packages/casper/src/odra/struct.ts'
import { readU512 } from '../../../packages/casper/src/types/u512.ts'
import { readAttestation } from '../../../packages/wattfeed/src/registry/attestation.ts'
import { attestArguments, registerArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import { readFeedStruct } from '../../../packages/wattfeed/src/registry/feed.ts'
import type { RegistryName } from '../../../packages/wattfeed/src/registry/layout.ts'

/** A recorded call of a registry. */
export interface RecordedCall {
  registry: RegistryName
  entryPoint: string
  args: Arguments
  /** Caller: `account-hash-…`. */
  caller: string
  /** Time of its block in epoch milliseconds; null if unknown. */
  timestampMs: number | null
  /** Why our contracts reject it, or null. */
  errorMessage: string | null
}

/** The only feed with a value but without a registration. Our contracts reject that. */
export const UNREGISTERED = 'UNREGISTERED.VALUE.DAILY'

/** Public keys, in hex, of the recorded accounts that sent transactions there, by their `account-hash-…`. */
export const recordedPublicKeys: ReadonlyMap<string, string> = new Map(
  ['attest executed', 'attest by a stranger executed: Unauthorized'].map((note) => {
    const { PublicKey } = payloadOf(exchangeOf(transactions, note)).initiator_addr
    return [accountOf(PublicKey), PublicKey]
  }),
)

/**
 * The calls that led to the recorded state. The event logs give their order and changes, the stored items the rest.
 * Metadata that was replaced later was not recorded. A registration therefore has the newest metadata for fields that its
 * event lacks.
 */
export function listRecordedCalls(): RecordedCall[] {
  return [
    ...eventsOf('FeedRegistry').map(registrationOf),
    ...eventsOf('AttestationRegistry').map(attestationOf),
    ...['attest by a stranger executed: Unauthorized', 'unknown entry point executed'].map(failureOf),
  ]
}

/** The events of a registry in order, in their stored form. */
function eventsOf(registry: RegistryName): Uint8Array[] {
  const count = [...recordedItems.keys()].filter((note) => note.startsWith(`${registry}.__events[`)).length
  return Array.from({ length: count }, (_, index) => recordedItem(`${registry}.__events[${index}]`))
}

function registrationOf(event: Uint8Array): RecordedCall {
  const { feedId, ...told } = decodeField(event, 'FeedRegistered', (cursor) => {
    cursor.string()
    return {
      feedId: cursor.string(),
      decimals: cursor.u8(),
      unit: cursor.string(),
      source: cursor.string(),
    }
  })
  return {
    registry: 'FeedRegistry',
    entryPoint: 'register_feed',
    args: registerArguments(feedId, {
      ...decodeItem(`FeedRegistry.feeds[${feedId}]`, readFeedStruct),
      ...told,
    }),
    caller: decodeItem(`FeedRegistry.feed_attester[${feedId}]`, readAddress),
    timestampMs: null,
    errorMessage: null,
  }
}

function attestationOf(event: Uint8Array): RecordedCall {
  const { feedId, period, amount, source_hash, index, timestampMs } = decodeField(
    event,
    'RevenueAttested',
    (cursor) => {
      cursor.string()
      return {
        feedId: cursor.string(),
        period: cursor.u64(),
        amount: readU512(cursor),
        source_hash: cursor.string(),
        index: cursor.u64(),
        timestampMs: Number(cursor.u64()),
      }
    },
  )
  const isRegistered = feedId !== UNREGISTERED
  const stored = isRegistered ? `history[${feedId}#${index}]` : `latest[${feedId}]`
  return {
    registry: 'AttestationRegistry',
    entryPoint: 'attest',
    // One of the periods is no safe integer.
    args: { ...attestArguments({ feed_id: feedId, period: 0, amount, source_hash }), period: clU64(period) },
    caller: decodeItem(`AttestationRegistry.${stored}`, readAttestation).attester,
    timestampMs,
    errorMessage: isRegistered ? null : 'User error: 1',
  }
}

const decodeItem = <T>(note: string, read: (cursor: Cursor) => T): T =>
  decodeField(recordedItem(note), note, read)

/** A failed call of the AttestationRegistry. */
function failureOf(note: string): RecordedCall {
  const exchange = exchangeOf(transactions, note)
  const payload = payloadOf(exchange)
  const info = memberAt(exchange, 'result', 'execution_info')
  const { Version2 } = Object(memberAt(info, 'execution_result'))
  return {
    registry: 'AttestationRegistry',
    entryPoint: payload.fields.entry_point.Custom,
    args: Object.fromEntries(payload.fields.args.Named.map(argumentOf)),
    caller: accountOf(payload.initiator_addr.PublicKey),
    timestampMs: null,
    errorMessage: Version2.error_message,
  }
}

/** The part of an executed transaction that its sender signed. */
function payloadOf(exchange: Exchange) {
  return Object(memberAt(exchange, 'result', 'transaction', 'Version1')).payload
}

function argumentOf([name, value]: [string, { cl_type: ClValue['clType']; bytes: string }]) {
  return [name, { clType: value.cl_type, bytes: Uint8Array.fromHex(value.bytes) }] as const
}

/** `account-hash-…` of a public key. */
function accountOf(publicKey: string): string {
  return `account-hash-${accountHashOfHex(publicKey).toHex()}`
}
