import { concatBytes } from '@noble/hashes/utils.js'
import { encodeString, encodeU32, encodeU64 } from '../../bytes/byteWriter.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { countCalltable, encodeCalltable } from '../../casper/types/calltable.ts'
import { formatDuration } from '../../casper/types/duration.ts'
import { blake2b } from '../blake2b.ts'
import { booleanOf, hashOf, recordOf, requiredField, textOf, uintOf, variantOf } from '../params.ts'
import { approvalsJson, encodeApprovals, parseApprovals } from './approvals.ts'
import { parseArguments } from './arguments.ts'
import { parseInitiator } from './initiator.ts'
import { parseDeploy } from './parseDeploy.ts'
import { parseScheduling, parseTarget } from './target.ts'
import { parseDuration, parseTimestamp } from './time.ts'
import type { Pricing, Transaction } from './transaction.ts'

/** Parses the `transaction` of `account_put_transaction`: `{ "Version1": … }` or `{ "Deploy": … }`. */
export function parseTransaction(value: unknown): Transaction {
  const { name } = variantOf(value, ['Deploy', 'Version1'])
  const content = requiredField(value, name)
  return name === 'Deploy' ? parseDeploy(content) : parseTransactionV1(content)
}

const HASH_BYTES = 32

// Keys in the payload's map of fields.
const ARGS = 0
const TARGET = 1
const ENTRY_POINT = 2
const SCHEDULING = 3

/** Parses a TransactionV1 from JSON and computes its hash. The bytes of its arguments are preserved. */
function parseTransactionV1(value: unknown): Transaction {
  const hash = hashOf(requiredField(value, 'hash'))
  const payload = parsePayload(requiredField(value, 'payload'))
  const approvals = parseApprovals(requiredField(value, 'approvals'))
  const { bytes, json, ...fields } = payload
  return {
    version: 'Version1',
    hash,
    hasValidHash: encodeHex(blake2b(bytes)) === hash,
    hasValidBodyHash: true,
    payment: 'standard',
    paymentArgumentBytes: 0,
    hasDependencies: false,
    ...fields,
    sizeBytes: countCalltable([HASH_BYTES, bytes.length, encodeApprovals(approvals).length]),
    approvals,
    json: { Version1: { hash, payload: json, approvals: approvalsJson(approvals) } },
  }
}

/** Returns the hash of a TransactionV1: the message that its approvals sign. */
export const hashPayload = (payload: unknown): string => encodeHex(blake2b(parsePayload(payload).bytes))

function parsePayload(value: unknown) {
  const initiator = parseInitiator(requiredField(value, 'initiator_addr'))
  const timestampMs = parseTimestamp(requiredField(value, 'timestamp'))
  const ttlMs = parseDuration(textOf(requiredField(value, 'ttl')))
  const chainName = textOf(requiredField(value, 'chain_name'))
  const pricing = parsePricing(requiredField(value, 'pricing_mode'))
  const fields = parseFields(requiredField(value, 'fields'))
  return {
    initiator: initiator.initiator,
    timestampMs,
    ttlMs,
    chainName,
    pricing: pricing.pricing,
    target: fields.target,
    hasFittingEntryPoint: fields.hasFittingEntryPoint,
    args: fields.args,
    argumentBytes: fields.argumentBytes,
    bytes: encodeCalltable([
      initiator.bytes,
      encodeU64(BigInt(timestampMs)),
      encodeU64(BigInt(ttlMs)),
      encodeString(chainName),
      pricing.bytes,
      fields.bytes,
    ]),
    json: {
      initiator_addr: initiator.json,
      timestamp: new Date(timestampMs).toISOString(),
      ttl: formatDuration(ttlMs),
      chain_name: chainName,
      pricing_mode: pricing.json,
      fields: fields.json,
    },
  }
}

function parseFields(value: unknown) {
  recordOf(value)
  const args = parseArguments(requiredField(value, 'args'))
  const to = parseTarget(requiredField(value, 'target'), requiredField(value, 'entry_point'))
  const scheduling = parseScheduling(requiredField(value, 'scheduling'))
  const entries = [
    [ARGS, args.bytes],
    [TARGET, to.bytes],
    [ENTRY_POINT, to.entryPointBytes],
    [SCHEDULING, scheduling.bytes],
  ] as const
  return {
    args: args.args,
    argumentBytes: args.bytes.length,
    target: to.target,
    hasFittingEntryPoint: to.hasFittingEntryPoint,
    bytes: concatBytes(
      encodeU32(entries.length),
      ...entries.flatMap(([key, bytes]) => [Uint8Array.of(key, 0), encodeU32(bytes.length), bytes]),
    ),
    json: {
      args: args.json,
      entry_point: to.entryPointJson,
      scheduling: scheduling.json,
      target: to.json,
    },
  }
}

const PAYMENT_LIMITED = Uint8Array.of(0)

function parsePricing(value: unknown): { pricing: Pricing; bytes: Uint8Array; json: unknown } {
  const { name, content } = variantOf(value, ['PaymentLimited', 'Fixed', 'Prepaid'])
  // The bytes are not needed, because the transaction is rejected.
  if (name !== 'PaymentLimited') return { pricing: { kind: 'other' }, bytes: new Uint8Array(0), json: value }
  const payment = uintOf(requiredField(content, 'payment_amount'))
  const gasPriceTolerance = uintOf(requiredField(content, 'gas_price_tolerance'), 255)
  const isStandardPayment = booleanOf(requiredField(content, 'standard_payment'))
  const paymentMotes = BigInt(payment)
  return {
    pricing: { kind: 'paymentLimited', paymentMotes, gasPriceTolerance, isStandardPayment },
    bytes: encodeCalltable([
      PAYMENT_LIMITED,
      encodeU64(paymentMotes),
      Uint8Array.of(gasPriceTolerance),
      Uint8Array.of(isStandardPayment ? 1 : 0),
    ]),
    json: {
      PaymentLimited: {
        payment_amount: payment,
        gas_price_tolerance: gasPriceTolerance,
        standard_payment: isStandardPayment,
      },
    },
  }
}
