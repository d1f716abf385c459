import { concatBytes } from '@noble/hashes/utils.js'
import { encodeString, encodeU32, encodeU64 } from '../../bytes/byteWriter.ts'
import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { accountHashOf } from '../../casper/types/accountHash.ts'
import type { NamedArgument } from '../../casper/types/clValue.ts'
import { formatDuration } from '../../casper/types/duration.ts'
import { blake2b } from '../blake2b.ts'
import { hashOf, listOf, requiredField, textOf, uintOf } from '../params.ts'
import { approvalsJson, encodeApprovals, parseApprovals } from './approvals.ts'
import { decodeU512 } from './arguments.ts'
import { parseDeployItem } from './deployItem.ts'
import { encodePublicKey, parsePublicKey } from './initiator.ts'
import { parseDuration, parseTimestamp } from './time.ts'
import type { Payment, Pricing, Target, Transaction } from './transaction.ts'
import { TRANSFER_MOTES } from './transfer.ts'

/** Parses a legacy deploy from JSON and computes its hashes. The bytes of its arguments are preserved. */
export function parseDeploy(value: unknown): Transaction {
  const hash = hashOf(requiredField(value, 'hash'))
  const header = parseHeader(requiredField(value, 'header'))
  const payment = parseDeployItem(requiredField(value, 'payment'))
  const session = parseDeployItem(requiredField(value, 'session'))
  const approvals = parseApprovals(requiredField(value, 'approvals'))
  const body = concatBytes(payment.bytes, session.bytes)
  const { bytes, json, bodyHash, gasPrice, ...fields } = header
  const { kind, pricing } = standardPayment(payment.kind, payment.args, gasPrice, session.target)
  const hashBytes = decodeHex(hash, 'deploy hash')
  return {
    version: 'Deploy',
    hash,
    hasValidHash: encodeHex(blake2b(bytes)) === hash,
    hasValidBodyHash: encodeHex(blake2b(body)) === bodyHash,
    ...fields,
    pricing,
    payment: kind,
    paymentArgumentBytes: payment.argumentBytes,
    target: session.target,
    hasFittingEntryPoint: true,
    args: session.args,
    argumentBytes: session.argumentBytes,
    sizeBytes: concatBytes(bytes, hashBytes, body, encodeApprovals(approvals)).length,
    approvals,
    json: {
      Deploy: {
        hash,
        header: json,
        payment: payment.json,
        session: session.json,
        approvals: approvalsJson(approvals),
      },
    },
  }
}

function parseHeader(value: unknown) {
  const account = parsePublicKey(requiredField(value, 'account'))
  const timestampMs = parseTimestamp(requiredField(value, 'timestamp'))
  const ttlMs = parseDuration(textOf(requiredField(value, 'ttl')))
  const gasPrice = uintOf(requiredField(value, 'gas_price'))
  const bodyHash = hashOf(requiredField(value, 'body_hash'))
  const dependencies = listOf(requiredField(value, 'dependencies')).map(hashOf)
  const chainName = textOf(requiredField(value, 'chain_name'))
  return {
    initiator: { publicKey: account, accountHash: accountHashOf(account) },
    timestampMs,
    ttlMs,
    gasPrice,
    bodyHash,
    hasDependencies: dependencies.length > 0,
    chainName,
    bytes: concatBytes(
      encodePublicKey(account),
      encodeU64(BigInt(timestampMs)),
      encodeU64(BigInt(ttlMs)),
      encodeU64(BigInt(gasPrice)),
      decodeHex(bodyHash, 'body hash'),
      encodeU32(dependencies.length),
      ...dependencies.map((each) => decodeHex(each, 'dependency')),
      encodeString(chainName),
    ),
    json: {
      account: account.hex,
      timestamp: new Date(timestampMs).toISOString(),
      ttl: formatDuration(ttlMs),
      gas_price: gasPrice,
      body_hash: bodyHash,
      dependencies,
      chain_name: chainName,
    },
  }
}

/**
 * Returns the maximum payment of a deploy. The standard payment is an empty module with the argument `amount`. A transfer
 * has a fixed cost.
 */
function standardPayment(
  item: 'transfer' | 'emptyModule' | 'other',
  args: readonly NamedArgument[],
  gasPrice: number,
  target: Target,
): { kind: Payment; pricing: Pricing } {
  const other = { kind: 'other' } as const
  if (item !== 'emptyModule') return { kind: item === 'transfer' ? 'transfer' : 'custom', pricing: other }
  const amount = args.find(({ name }) => name === 'amount')
  if (amount === undefined) return { kind: 'withoutAmount', pricing: other }
  const paymentMotes = decodeU512(amount)
  if (paymentMotes === null) return { kind: 'withBadAmount', pricing: other }
  return {
    kind: 'standard',
    pricing: {
      kind: 'paymentLimited',
      paymentMotes: target.kind === 'transfer' ? TRANSFER_MOTES : paymentMotes,
      gasPriceTolerance: gasPrice,
      isStandardPayment: true,
    },
  }
}
