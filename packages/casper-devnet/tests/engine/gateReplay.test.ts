import { describe, expect, test } from 'bun:test'
import { accountKey, isRecord } from '@wattfeed/casper/types'
import { blake2b } from '../../src/blake2b.ts'
import { chainspecs } from '../../src/chainspec.ts'
import type { ExecutionTarget } from '../../src/engine/executionTarget.ts'
import { formatEffect } from '../../src/engine/transform.ts'
import { readRecordedGate } from '../support/contractWasm.ts'
import { createEngineChain } from '../support/engine/engineChain.ts'
import { decodeArguments, type HostFunctionVector, readLines } from './support/hostFunctionVectors.ts'

/** A transaction to the recorded gate, and its result on a real node. */
interface GateTransaction {
  readonly label: string
  readonly hash: string
  readonly block_time: number
  readonly transaction: { readonly Version1: { readonly payload: Payload } }
  readonly error: string | null
  readonly consumed: string
  readonly effects: readonly { readonly key: string; readonly kind: unknown }[]
}

interface Payload {
  readonly initiator_addr: { readonly PublicKey: string }
  readonly pricing_mode: { readonly PaymentLimited: { readonly payment_amount: number } }
  readonly fields: {
    readonly args: { readonly Named: HostFunctionVector['args'] }
    readonly entry_point: 'Call' | { readonly Custom: string }
    readonly target:
      | { readonly Session: unknown }
      | { readonly Stored: { readonly id: { readonly ByPackageHash: { readonly addr: string } } } }
  }
}

const transactions = readLines<GateTransaction>('gate-replay.jsonl')

/** Hash of an ed25519 key's account. */
const accountHashOf = (publicKey: string): Uint8Array =>
  blake2b(new TextEncoder().encode('ed25519\0'), Uint8Array.fromHex(publicKey.slice(2)))

function targetOf({ fields: { target, entry_point } }: Payload): ExecutionTarget {
  if ('Session' in target) return { kind: 'session', wasm: readRecordedGate(), isInstallOrUpgrade: true }
  const packageHash = Uint8Array.fromHex(target.Stored.id.ByPackageHash.addr)
  const entryPoint = entry_point === 'Call' ? 'call' : entry_point.Custom
  return { kind: 'call', contract: { packageHash, version: null }, entryPoint }
}

/** The contract's effects. Before and after them come the effects of the payment, which are not the engine's. */
function ownEffects({ effects, error }: GateTransaction): unknown[] {
  if (error !== null) return []
  return effects.filter(({ key }) => !key.startsWith('balance-'))
}

/** The recording omits the bytes of the stored wasm; the gas gives their number. */
function withoutWasm(effect: { key: string; kind: unknown }): unknown {
  const written = isRecord(effect.kind) ? effect.kind.Write : undefined
  if (!isRecord(written) || !('ContractWasm' in written)) return effect
  return { ...effect, kind: { Write: { ContractWasm: '<as stored by the node>' } } }
}

describe('the recorded gate', () => {
  test('default: its installation and calls have the effects and costs of a real node', () => {
    const chain = createEngineChain({ chainspec: chainspecs['2.0.3'] })
    const outcomes = transactions.map(({ hash, block_time, transaction: { Version1 } }) => {
      const { payload } = Version1
      const initiator = accountHashOf(payload.initiator_addr.PublicKey)
      if (chain.read(accountKey(initiator)) === null) chain.addAccount(initiator)
      chain.blockTimeMs = block_time
      const { error, consumed, effects } = chain.execute({
        initiator,
        transactionHash: Uint8Array.fromHex(hash),
        gasLimit: BigInt(payload.pricing_mode.PaymentLimited.payment_amount),
        target: targetOf(payload),
        args: decodeArguments(payload.fields.args.Named),
      })
      return { error, consumed: String(consumed), effects: effects.map(formatEffect).map(withoutWasm) }
    })
    expect(outcomes).toEqual(
      transactions.map((each) => ({ error: each.error, consumed: each.consumed, effects: ownEffects(each) })),
    )
  })

  test('behavior: all eight transactions are recorded', () => {
    expect(transactions.map(({ label }) => label)).toEqual([
      'install',
      'close one account',
      'close again, another caller',
      'view called in a transaction',
      'missing argument',
      'wrong argument type',
      'unknown entry point',
      'a contract address',
    ])
  })
})
