import { describe, expect, test } from 'bun:test'
import { json, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import {
  Args,
  CLValue,
  ContractCallBuilder,
  NativeTransferBuilder,
  SessionBuilder,
  Timestamp,
} from 'casper-js-sdk'
import { printTransactions } from '../../src/command/printTransactions.ts'
import { createDevnet, type Devnet } from '../../src/createDevnet.ts'

const { ed25519: key, secp256k1: other } = keys

type Built = ReturnType<NativeTransferBuilder['build']>

/** Common to all builders of the SDK. */
interface Builder<B> {
  from(key: (typeof keys)['ed25519']['publicKey']): B
  chainName(name: string): B
  timestamp(time: Timestamp): B
  payment(motes: number): B
  build(): Built
}

async function put<B extends Builder<B>>(devnet: Devnet, builder: B, motes: number): Promise<string> {
  const transaction = builder
    .from(key.publicKey)
    .chainName(devnet.chainName)
    .timestamp(new Timestamp(new Date(NOW)))
    .payment(motes)
    .build()
  transaction.sign(key)
  const answer = await devnet.call('account_put_transaction', {
    transaction: { Version1: json(transaction.toJSON()) },
  })
  expect(answer).toMatchObject({ result: { transaction_hash: {} } })
  return transaction.hash.toHex()
}

async function printed(run: (devnet: Devnet) => Promise<unknown>): Promise<string[]> {
  const lines: string[] = []
  await using devnet = createDevnet({ now: () => NOW, accounts: 1, fund: [key.publicKey.toHex()] })
  const end = printTransactions(devnet, (line) => lines.push(line))
  await run(devnet)
  await new Promise(setImmediate)
  end()
  await devnet.fund(key.publicKey.toHex(), 2_500_000_000n)
  await new Promise(setImmediate)
  return lines
}

const sender = `from ${key.publicKey.toHex().slice(0, 10)}…`

describe('the lines of transactions', () => {
  test('default: a transfer', async () => {
    const builder = new NativeTransferBuilder().target(other.publicKey).amount('2500000000')
    let hash = ''
    const lines = await printed(async (devnet) => {
      hash = await put(devnet, builder, 100_000_000)
    })
    const to = other.publicKey.toHex().slice(0, 10)
    expect(lines).toEqual([
      `block 1  tx ${hash}  ${sender}  transfer of 2.5 CSPR to ${to}…  gas 0.1 of 0.1  cost 0.1 CSPR  ok`,
    ])
  })

  test('error: wasm that fails', async () => {
    const builder = new SessionBuilder()
      .wasm(new Uint8Array(3000))
      .installOrUpgrade()
      .runtimeArgs(Args.fromMap({ a: CLValue.newCLString('b') }))
    let hash = ''
    const lines = await printed(async (devnet) => {
      hash = await put(devnet, builder, 5_000_000_000)
    })
    expect(lines).toEqual([
      `block 1  tx ${hash}  ${sender}  wasm of 3 kB  gas 0 of 5  cost 5 CSPR  FAILED: Wasm preprocessing error: Deserialization error: Invalid magic number at start of file`,
    ])
  })

  test('error: a call of a contract by a named key, which does not exist', async () => {
    const builder = new ContractCallBuilder()
      .byName('counter')
      .entryPoint('increment')
      .runtimeArgs(Args.fromMap({}))
    const [line] = await printed((devnet) => put(devnet, builder, 3_000_000_000))
    expect(line).toMatch(/ {2}increment of counter {2}gas [\d.]+ of 3 {2}cost 3 CSPR {2}FAILED: /)
  })

  test('behavior: those of one block are in their order; a revert is said', async () => {
    const lines: string[] = []
    await using devnet = createDevnet({
      now: () => NOW,
      accounts: 1,
      fund: [key.publicKey.toHex()],
      blockTimeMs: 'manual',
    })
    printTransactions(devnet, (line) => lines.push(line))
    const id = devnet.snapshot()
    for (const amount of ['2500000000', '3000000000', '3000000001'])
      await put(devnet, new NativeTransferBuilder().target(other.publicKey).amount(amount), 100_000_000)
    devnet.produceBlock()
    await new Promise(setImmediate)
    devnet.revert(id)
    await new Promise(setImmediate)
    expect(lines.map((line) => /transfer of [\d.]+|reverted.*/.exec(line)?.[0])).toEqual([
      'transfer of 2.5',
      'transfer of 3',
      'transfer of 3.000000001',
      'reverted to block 0',
    ])
  })
})
