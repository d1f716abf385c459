import { decodeHex, encodeHex } from '@wattfeed/base'
import {
  type DeployItem,
  deploy,
  deployHeader,
  deployItem,
  encodeAs,
  namedArguments,
} from '@wattfeed/casper/codec'
import { accountHashOfHex, decodeU512 } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { CalledContract } from '../engine/executionTarget.ts'
import { sortApprovals } from './approvals.ts'
import { nodeReader } from './nodeReader.ts'
import { printTransaction } from './printTransaction.ts'
import type { Payment, Pricing, ReceivedTarget, Transaction } from './transaction.ts'
import { TRANSFER_MOTES } from './transfer.ts'

export function parseDeploy(value: unknown): Transaction {
  const sent = deploy.parse(value, 'Deploy', nodeReader)
  const signed = { ...sent, approvals: sortApprovals(sent.approvals) }
  const { payment, session } = signed
  const { account, timestamp, ttl, gas_price, body_hash, dependencies, chain_name } = signed.header
  const target = targetOf(session)
  return {
    version: 'Deploy',
    hash: signed.hash,
    hasValidHash: encodeHex(blake2b(encodeAs(deployHeader, signed.header))) === signed.hash,
    hasValidBodyHash:
      encodeHex(blake2b(encodeAs(deployItem, payment), encodeAs(deployItem, session))) === body_hash,
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

function targetOf({ kind, value }: DeployItem): ReceivedTarget {
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

const callOf = (contract: CalledContract, { entry_point }: { entry_point: string }): ReceivedTarget => ({
  kind: 'call',
  contract,
  entryPoint: entry_point,
})

/**
 * Returns the maximum payment of a deploy. The standard payment is an empty module with the argument `amount`. A transfer
 * has a fixed cost.
 */
function paymentOf(
  { kind, value }: DeployItem,
  gasPrice: number,
  target: ReceivedTarget,
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
