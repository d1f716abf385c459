import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { checkFinality, validatorWeights } from '@wattfeed/casper/testing/internals'
import { CHAIN_NAME } from '@wattfeed/casper/testing/sdkTransactions'
import { type Block, decodeBlock, urefKey } from '@wattfeed/casper/types'
import { createFolder } from '@wattfeed/testing/folder'
import { blake2b } from '../../src/blake2b.ts'
import { blockAt } from '../../src/chain/chainView.ts'
import type { Chain } from '../../src/chain/createChain.ts'
import { genesisWrites, totalSupplyUref } from '../../src/chain/genesis.ts'
import { openLedger } from '../../src/chain/ledger.ts'
import { createSealer } from '../../src/chain/sealer.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { readMotes } from '../../src/engine/purse.ts'
import { systemRegistryKey } from '../../src/engine/system/systemRegistry.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import type { Transaction } from '../../src/transaction/transaction.ts'
import { createTestChain, type SessionOptions, sessionOf, testChainOptions } from '../support/testChain.ts'

const seed = blake2b(new TextEncoder().encode('test'))
const newest = chainspecs['2.2.2']

/** A chain of 2.0.3 with eras of 4 blocks, that makes blocks on request. */
const createOldChain = (options: Parameters<typeof createTestChain>[0] = {}): Chain =>
  createTestChain({ chainspec: chainspecs['2.0.3'], eraLength: 4, blockTimeMs: 'manual', ...options })

function produce(chain: Chain, count: number): void {
  for (let made = 0; made < count; made++) chain.produceBlock()
}

const blocksOf = (chain: Chain): Block[] =>
  Array.from({ length: chain.tip().height + 1 }, (_, height) => decodeBlock(blockAt(chain, height).json))

const versions = (chain: Chain): string[] =>
  blocksOf(chain).map(({ header }) => header.protocolVersion.join('.'))

/** Puts a session, which the chain must accept. */
function put(chain: Chain, nonce: number, options?: SessionOptions): Transaction {
  const session = sessionOf(nonce, options)
  expect(chain.put(session)).toBeNull()
  return session
}

const heightOf = (chain: Chain, { hash }: Transaction): number | null | undefined =>
  chain.getTransaction('Version1', hash)?.blockHeight

function totalSupply(chain: Chain): bigint {
  const read = (key: string): Uint8Array | null =>
    chain.read(chain.tip().stateRootHash, Uint8Array.fromHex(key))?.stored ?? null
  return readMotes({ read }, urefKey(totalSupplyUref(seed)))
}

/** Writes the first block of a chain of 2.0.3 as releases without system contracts did. */
function writeOlderGenesis(directory: string): void {
  const options = testChainOptions({ chainspec: chainspecs['2.0.3'], eraLength: 4, directory })
  const ledger = openLedger(options)
  const sealer = createSealer(options)
  const writes = genesisWrites([...options.accounts, ...sealer.genesisAccounts], seed)
  const stateRootHash = ledger.commit(writes)
  const block = sealer.seal({ parent: null, stateRootHash, timestampMs: options.now(), transactions: [] })
  ledger.append({ block, transactions: [], writes })
  ledger.close()
}

const statusOf = (chain: Chain): unknown => memberAt(createAnswerRpc(chain)('info_get_status', {}), 'result')

describe('an upgrade', () => {
  test('default: the era ends with the old protocol, and the first block of the new one is an era of its own', () => {
    const chain = createOldChain()
    produce(chain, 6)
    expect(chain.upgrade(newest)).toBe(3)
    produce(chain, 8)
    expect(
      blocksOf(chain)
        .slice(6)
        .map(({ header }) => [
          header.protocolVersion.join('.'),
          header.height,
          header.eraId,
          header.eraEnd !== null,
        ]),
    ).toEqual([
      ['2.0.0', 6, 2, false],
      ['2.0.0', 7, 2, false],
      ['2.0.0', 8, 2, true],
      ['2.2.2', 9, 3, true],
      ['2.2.2', 10, 4, false],
      ['2.2.2', 11, 4, false],
      ['2.2.2', 12, 4, false],
      ['2.2.2', 13, 4, true],
      ['2.2.2', 14, 5, false],
    ])
  })

  test('behavior: each block names the switch block before it, and more than two thirds of its weights have signed', async () => {
    const chain = createOldChain()
    produce(chain, 6)
    chain.upgrade(newest)
    produce(chain, 8)
    const blocks = blocksOf(chain)
    for (const [index, block] of blocks.entries()) {
      const before = blocks.slice(0, index).findLast(({ header }) => header.eraEnd !== null)
      expect(block.header.lastSwitchBlockHash).toBe(before?.hash ?? null)
      expect(block.header.parentHash).toBe(blocks[index - 1]?.hash ?? '0'.repeat(64))
      if (before === undefined) continue
      expect(before.header.eraId).toBe(block.header.eraId - 1)
      const weights = validatorWeights(before.header.eraEnd?.nextEraValidatorWeights ?? [])
      expect(await checkFinality(block, weights, CHAIN_NAME)).toMatchObject({ isFinal: true })
    }
  })

  test('behavior: the system proposes its first block, which has neither transactions nor rewarded signatures', () => {
    const chain = createOldChain()
    produce(chain, 4)
    chain.upgrade(newest)
    const waiting = put(chain, 1)
    const first = chain.produceBlock()
    expect(first.proposer).toBe('00')
    expect(first.json.block.Version2.body).toEqual({ transactions: {}, rewarded_signatures: [] })
    expect(first.json.block.Version2.header).toMatchObject({ proposer: '00', protocol_version: '2.2.2' })
    expect(heightOf(chain, waiting)).toBeNull()
    chain.produceBlock()
    expect(heightOf(chain, waiting)).toBe(6)
  })

  test('behavior: a chain that makes a block for each transaction makes two for the first one', () => {
    const chain = createOldChain({ blockTimeMs: null })
    chain.upgrade(newest)
    expect([1, 2].map((nonce) => heightOf(chain, put(chain, nonce)))).toEqual([2, 3])
  })

  test('behavior: a node’s status names the plan, and its new protocol as soon as the old one has ended', () => {
    const chain = createOldChain()
    produce(chain, 2)
    expect(statusOf(chain)).toMatchObject({ protocol_version: '2.0.0', next_upgrade: null })
    chain.upgrade(newest)
    const next_upgrade = { activation_point: 2, protocol_version: '2.2.2' }
    expect(statusOf(chain)).toMatchObject({ protocol_version: '2.0.0', next_upgrade })
    produce(chain, 2)
    expect(statusOf(chain)).toMatchObject({ protocol_version: '2.2.2', next_upgrade: null })
  })

  test('behavior: fees go to the proposer before, and reduce the total supply after', () => {
    const chain = createOldChain()
    chain.upgrade(newest)
    const before = totalSupply(chain)
    expect(before).toBeGreaterThan(2_000_000_000_000_000n)
    chain.produceBlock()
    expect(totalSupply(chain)).toBe(before)
    const { hash } = put(chain, 1)
    chain.produceBlock()
    const info = chain.getTransaction('Version1', hash)?.executionInfo
    const { cost, refund } = Object(memberAt(info, 'execution_result', 'Version2'))
    expect(before - totalSupply(chain)).toBe(BigInt(cost) - BigInt(refund))
  })

  test('behavior: transactions have the new limits, also those that wait for its second block', () => {
    const chain = createOldChain()
    produce(chain, 4)
    const tooMuch = sessionOf(1, { paymentMotes: 900_000_000_000 })
    expect(chain.check(tooMuch)).toBeNull()
    const waiting = Array.from({ length: 41 }, (_, index) => put(chain, 2 + index))
    chain.upgrade(newest)
    expect(chain.check(tooMuch)).toBe('blockGasLimit')
    produce(chain, 3)
    const heights = waiting.map((each) => heightOf(chain, each))
    expect(heights).toEqual([...Array(40).fill(6), 7])
  })

  test('behavior: a second request changes nothing, and a chain of the newest protocol has nothing to upgrade', () => {
    const chain = createOldChain()
    produce(chain, 2)
    expect([chain.upgrade(newest), chain.upgrade(newest)]).toEqual([2, 2])
    produce(chain, 4)
    expect(chain.upgrade(newest)).toBe(2)
    produce(chain, 4)
    expect(versions(chain)).toEqual([...Array(5).fill('2.0.0'), ...Array(6).fill('2.2.2')])
    expect(createTestChain({ chainspec: newest }).upgrade(newest)).toBe(0)
  })

  test('behavior: a fork has the plan of its chain, and one of its own', () => {
    const chain = createOldChain()
    const other = chain.fork(Date.now)
    chain.upgrade(newest)
    const planned = chain.fork(Date.now)
    for (const each of [chain, other, planned]) produce(each, 2)
    expect([chain, other, planned].map((each) => each.protocolVersion())).toEqual(['2.2.2', '2.0.0', '2.2.2'])
  })

  test('behavior: a directory of an earlier release gets its system contracts and its total supply', () => {
    using folder = createFolder()
    const { path: directory } = folder
    writeOlderGenesis(directory)
    const chain = createOldChain({ directory })
    const readRegistry = () => chain.read(chain.tip().stateRootHash, systemRegistryKey())
    chain.upgrade(newest)
    expect([readRegistry(), totalSupply(chain)]).toEqual([null, 0n])
    produce(chain, 1)
    expect(readRegistry()).not.toBeNull()
    put(chain, 1)
    produce(chain, 1)
    expect(totalSupply(chain)).toBeGreaterThan(2_000_000_000_000_000n)
    chain.close()
  })

  test('behavior: a chain on disk continues with the new protocol and its eras', () => {
    using folder = createFolder()
    const { path: directory } = folder
    const chain = createOldChain({ directory })
    const inMemory = createOldChain()
    for (const each of [chain, inMemory]) {
      produce(each, 2)
      each.upgrade(newest)
      produce(each, 5)
    }
    chain.close()
    const continued = createOldChain({ directory })
    expect(continued.nextUpgrade()).toBeNull()
    for (const each of [continued, inMemory]) produce(each, 6)
    expect(blocksOf(continued)).toEqual(blocksOf(inMemory))
    expect(continued.upgrade(newest)).toBe(2)
    continued.close()
  })
})
