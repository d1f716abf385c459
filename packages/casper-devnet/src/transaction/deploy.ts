import { decodeHex, encodeHex } from '@wattfeed/base'
import {
  approvals,
  bytes,
  type Described,
  encodeAs,
  fields,
  hash,
  list,
  namedArguments,
  plain,
  publicKey,
  text,
  timestamp,
  ttl,
  u64,
  variants,
  version,
} from '@wattfeed/casper/codec'
import { accountHashOfHex } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { CalledContract } from '../engine/executionTarget.ts'
import { sortApprovals } from './approvals.ts'
import { decodeU512 } from './decodeU512.ts'
import { nodeReader } from './nodeReader.ts'
import { printTransaction } from './printTransaction.ts'
import type { Payment, Pricing, Target, Transaction } from './transaction.ts'
import { TRANSFER_MOTES } from './transfer.ts'

/** The payment or the session of a deploy. */
const item = variants(
  {
    ModuleBytes: fields({ module_bytes: bytes, args: namedArguments }),
    StoredContractByHash: fields({ hash, entry_point: text, args: namedArguments }),
    StoredContractByName: fields({ name: text, entry_point: text, args: namedArguments }),
    StoredVersionedContractByHash: fields({ hash, version, entry_point: text, args: namedArguments }),
    StoredVersionedContractByName: fields({ name: text, version, entry_point: text, args: namedArguments }),
    Transfer: fields({ args: namedArguments }),
  },
  plain,
)

const header = fields({
  account: publicKey,
  timestamp,
  ttl,
  gas_price: u64,
  body_hash: hash,
  dependencies: list(hash, 'dependencies'),
  chain_name: text,
})

/** A legacy deploy, which casper-types encodes without any calltable. */
const deploy = fields({ hash, header, payment: item, session: item, approvals })

type Item = Described<typeof item>

export function parseDeploy(value: unknown): Transaction {
  const sent = deploy.parse(value, 'Deploy', nodeReader)
  const signed = { ...sent, approvals: sortApprovals(sent.approvals) }
  const { payment, session } = signed
  const { account, timestamp, ttl, gas_price, body_hash, dependencies, chain_name } = signed.header
  const target = targetOf(session)
  return {
    version: 'Deploy',
    hash: signed.hash,
    hasValidHash: encodeHex(blake2b(encodeAs(header, signed.header))) === signed.hash,
    hasValidBodyHash: encodeHex(blake2b(encodeAs(item, payment), encodeAs(item, session))) === body_hash,
    initiator: { publicKey: account, accountHash: accountHashOfHex(account) },
    timestampMs: timestamp,
    ttlMs: ttl,
    hasDependencies: dependencies.length > 0,
    chainName: chain_name,
    ...paymentOf(payment, gas_price, target),
    paymentArgumentBytes: encodeAs(namedArguments, payment.value.args).length,
    target,
    hasFittingEntryPoint: true,
    args: session.value.args,
    argumentBytes: encodeAs(namedArguments, session.value.args).length,
    sizeBytes: encodeAs(deploy, signed).length,
    approvals: signed.approvals,
    json: { Deploy: printTransaction(signed) },
  }
}

function targetOf({ kind, value }: Item): Target {
  switch (kind) {
    case 'Transfer':
      return { kind: 'transfer' }
    case 'ModuleBytes':
      // The session of a deploy can always install and upgrade.
      return { kind: 'session', wasm: value.module_bytes, isInstallOrUpgrade: true }
    case 'StoredContractByHash':
      return callOf({ contractHash: decodeHex(value.hash, 'hash') }, value)
    case 'StoredContractByName':
      return callOf({ name: value.name }, value)
    case 'StoredVersionedContractByHash':
      return callOf({ packageHash: decodeHex(value.hash, 'hash'), version: value.version }, value)
    case 'StoredVersionedContractByName':
      return callOf({ packageName: value.name, version: value.version }, value)
  }
}

const callOf = (contract: CalledContract, { entry_point }: { entry_point: string }): Target => ({
  kind: 'call',
  contract,
  entryPoint: entry_point,
})

/**
 * Returns the maximum payment of a deploy. The standard payment is an empty module with the argument `amount`. A transfer
 * has a fixed cost.
 */
function paymentOf(
  { kind, value }: Item,
  gasPrice: number,
  target: Target,
): { payment: Payment; pricing: Pricing } {
  const pricing = { kind: 'other' } as const
  if (kind === 'Transfer') return { payment: 'transfer', pricing }
  if (kind !== 'ModuleBytes' || value.module_bytes.length > 0) return { payment: 'custom', pricing }
  const amount = value.args.find(({ name }) => name === 'amount')
  if (amount === undefined) return { payment: 'withoutAmount', pricing }
  const paymentMotes = decodeU512(amount)
  if (paymentMotes === null) return { payment: 'withBadAmount', pricing }
  return {
    payment: 'standard',
    pricing: {
      kind: 'paymentLimited',
      paymentMotes: target.kind === 'transfer' ? TRANSFER_MOTES : paymentMotes,
      gasPriceTolerance: gasPrice,
      isStandardPayment: true,
    },
  }
}
