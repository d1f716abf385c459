import { decodeHex, encodeHex } from '@wattfeed/base'
import {
  approvals,
  args,
  countCalltable,
  encodeAs,
  entryPointName,
  fittingTarget,
  type Payload,
  payload,
  transactionV1,
} from '@wattfeed/casper/codec'
import { accountHashOfHex } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { CalledContract, CalledVersion } from '../engine/executionTarget.ts'
import { requiredField, variantOf } from '../params.ts'
import { sortApprovals } from './approvals.ts'
import { parseDeploy } from './deploy.ts'
import { nodeReader } from './nodeReader.ts'
import { printTransaction } from './printTransaction.ts'
import type { Initiator, Pricing, ReceivedTarget, Transaction } from './transaction.ts'

/** Parses the `transaction` of `account_put_transaction`: `{ "Version1": … }` or `{ "Deploy": … }`. */
export function parseTransaction(value: unknown): Transaction {
  const { name } = variantOf(value, ['Deploy', 'Version1'])
  const content = requiredField(value, name)
  return name === 'Deploy' ? parseDeploy(content) : parseTransactionV1(content)
}

const HASH_BYTES = 32

function parseTransactionV1(value: unknown): Transaction {
  const sent = transactionV1.parse(value, 'Version1', nodeReader)
  const signed = { ...sent, approvals: sortApprovals(sent.approvals) }
  const { initiator_addr, timestamp, ttl, chain_name, pricing_mode, fields } = signed.payload
  const bytes = encodeAs(payload, signed.payload)
  return {
    version: 'Version1',
    hash: signed.hash,
    hasValidHash: encodeHex(blake2b(bytes)) === signed.hash,
    hasValidBodyHash: true,
    initiator: initiatorOf(initiator_addr),
    timestampMs: timestamp,
    ttlMs: ttl,
    chainName: chain_name,
    pricing: pricingOf(pricing_mode),
    payment: 'standard',
    target: targetOf(fields),
    hasFittingEntryPoint: fits(fields),
    args: fields.args.kind === 'Named' ? fields.args.value : null,
    argumentBytes: encodeAs(args, fields.args).length,
    paymentArgumentBytes: 0,
    hasDependencies: false,
    sizeBytes: countCalltable([HASH_BYTES, bytes.length, encodeAs(approvals, signed.approvals).length]),
    approvals: signed.approvals,
    json: { Version1: printTransaction(signed) },
  }
}

/** A session may also have a custom entry point. */
function fits(fields: Payload['fields']): boolean {
  const { kind } = fields.target
  return kind === fittingTarget(fields) || (kind === 'Session' && fields.entry_point.kind === 'Custom')
}

const initiatorOf = ({ kind, value }: Payload['initiator_addr']): Initiator =>
  kind === 'PublicKey'
    ? { publicKey: value, accountHash: accountHashOfHex(value) }
    : { publicKey: null, accountHash: decodeHex(value, 'account hash') }

function pricingOf(mode: Payload['pricing_mode']): Pricing {
  if (mode.kind !== 'PaymentLimited') return { kind: 'other' }
  return {
    kind: 'paymentLimited',
    paymentMotes: BigInt(mode.value.payment_amount),
    gasPriceTolerance: mode.value.gas_price_tolerance,
    isStandardPayment: mode.value.standard_payment,
  }
}

function targetOf(fields: Payload['fields']): ReceivedTarget {
  const { kind, value } = fields.target
  const name = entryPointName(fields)
  if (kind === 'Native') return { kind: name === 'Transfer' ? 'transfer' : 'auction' }
  if (kind === 'Stored') return { kind: 'call', contract: contractOf(value.id), entryPoint: name }
  return { kind: 'session', wasm: value.module_bytes, isInstallOrUpgrade: value.is_install_upgrade }
}

type StoredId = Extract<Payload['fields']['target'], { kind: 'Stored' }>['value']['id']

function contractOf({ kind, value }: StoredId): CalledContract {
  switch (kind) {
    case 'ByHash':
      return { contractHash: decodeHex(value, 'contract hash') }
    case 'ByName':
      return { name: value }
    case 'ByPackageHash':
      return { packageHash: decodeHex(value.addr, 'package hash'), ...versionOf(value) }
    case 'ByPackageName':
      return { packageName: value.name, ...versionOf(value) }
  }
}

const versionOf = (id: {
  readonly version: number | null
  readonly protocol_version_major: number | undefined
}): CalledVersion => ({ version: id.version, protocolVersionMajor: id.protocol_version_major })
