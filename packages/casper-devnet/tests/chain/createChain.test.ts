import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { verifyMerkleProof } from '@wattfeed/casper'
import { checkFinality, validatorWeights } from '@wattfeed/casper/testing/internals'
import { CHAIN_NAME, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { accountHashOfHex, accountKey, decodeBlock, formatKey, urefKey } from '@wattfeed/casper/types'
import { createFolder } from '@wattfeed/testing/folder'
import { KeyAlgorithm, PrivateKey } from 'casper-js-sdk'
import fc from 'fast-check'
import { blake2b } from '../../src/blake2b.ts'
import { existingAccount } from '../../src/chain/account.ts'
import { ForeignDataError } from '../../src/chain/blockLog.ts'
import type { Chain } from '../../src/chain/createChain.ts'
import { totalSupplyUref } from '../../src/chain/genesis.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { createConsensus } from '../../src/consensus/createConsensus.ts'
import { readBalance, readMotes } from '../../src/engine/purse.ts'
import { protocols } from '../../src/protocol.ts'
import type { Transaction } from '../../src/transaction/transaction.ts'
import { chainspec } from '../support/chainspec.ts'
import { counter, createFakeEngine, encodeCount } from '../support/fakeEngine.ts'
import { createTestChain, START_MOTES, sessionOf } from '../support/testChain.ts'

const seed = blake2b(new TextEncoder().encode('test'))
const consensus = createConsensus({ chainName: CHAIN_NAME, seed, chainspec })

const resultOf = (chain: Chain, { hash }: Pick<Transaction, 'hash'>): Record<string, unknown> =>
  Object(memberAt(chain.getTransaction('Version1', hash)?.executionInfo, 'execution_result', 'Version2'))

const count = (chain: Chain): number =>
  chain.read(chain.tip().stateRootHash, urefKey(counter))?.stored.at(-2) ?? 0

/** Returns the sum of all balances, in motes. */
function allMotes(chain: Chain): bigint {
  const owners = [
    ...Object.values(keys).map((key) => key.publicKey.toHex()),
    ...consensus.validators.map(({ publicKey }) => publicKey),
  ]
  const { stateRootHash } = chain.tip()
  const read = (key: string): Uint8Array | null =>
    chain.read(stateRootHash, Uint8Array.fromHex(key))?.stored ?? null
  return owners.reduce((sum, publicKey) => {
    const purse = existingAccount({ read }, accountHashOfHex(publicKey)).mainPurse
    return sum + readBalance({ read }, purse)
  }, 0n)
}

/** Returns what the chain says that exists, in motes, with the stakes. */
function totalSupply(chain: Chain): bigint {
  const { stateRootHash } = chain.tip()
  const read = (key: string): Uint8Array | null =>
    chain.read(stateRootHash, Uint8Array.fromHex(key))?.stored ?? null
  return readMotes({ read }, urefKey(totalSupplyUref(seed)))
}

/** Returns what all transactions have cost, in motes. */
function feesOf(chain: Chain): bigint {
  let fees = 0n
  for (let height = 0; height <= chain.tip().height; height++) {
    const { transactions } = chain.getBlock({ height })?.json.block.Version2.body ?? {}
    for (const each of Object.values(transactions ?? {}).flat()) {
      const { cost, refund } = resultOf(chain, { hash: String(memberAt(each, 'Version1')) })
      fees += BigInt(String(cost)) - BigInt(String(refund))
    }
  }
  return fees
}

describe('createChain', () => {
  test('behavior: code sees the time of its block, also if the clock advances meanwhile', () => {
    let now = NOW
    const engine = createFakeEngine()
    const chain = createTestChain({ engine, now: () => now++ })
    chain.put(sessionOf(1))
    expect(engine.requests.map(({ block }) => block.timeMs)).toEqual([chain.tip().timestampMs])
  })

  test('default: a transaction gets an immediate block', () => {
    const chain = createTestChain()
    const transaction = sessionOf(1)
    expect(chain.put(transaction)).toBeNull()
    const tip = chain.tip()
    expect(tip).toMatchObject({ height: 1, eraId: 1, timestampMs: NOW + 1, isSwitchBlock: false })
    expect(chain.getTransaction('Version1', transaction.hash)).toMatchObject({
      json: transaction.json,
      blockHeight: 1,
      executionInfo: {
        block_hash: tip.hash,
        block_height: 1,
        execution_result: { Version2: { error_message: null, consumed: '1000000000', refund: '1500000000' } },
      },
    })
    expect(memberAt(tip.json.block.Version2, 'body', 'transactions')).toEqual({
      5: [{ Version1: transaction.hash }],
    })
    expect(count(chain)).toBe(1)
  })

  test('behavior: the same transaction is accepted again and executed once', () => {
    const engine = createFakeEngine()
    const chain = createTestChain({ engine })
    const transaction = sessionOf(1)
    for (let times = 0; times < 3; times++) expect(chain.put(transaction)).toBeNull()
    expect(engine.requests).toHaveLength(1)
    expect(chain.tip().height).toBe(1)
  })

  test('behavior: a rejected transaction has no effect', () => {
    const chain = createTestChain({ now: () => NOW + 1_800_001 })
    expect(chain.put(sessionOf(1))).toBe('expired')
    expect(chain.tip().height).toBe(0)
    expect(chain.getTransaction('Version1', sessionOf(1).hash)).toBeNull()
  })

  test('error: a missing account, and a signature of another account', () => {
    const chain = createTestChain()
    const stranger = PrivateKey.fromHex('c3'.repeat(32), KeyAlgorithm.ED25519)
    expect(chain.put(sessionOf(1, { key: stranger }))).toBe('noAccount')
    const [approval] = sessionOf(2).approvals
    expect(chain.put({ ...sessionOf(1), approvals: approval === undefined ? [] : [approval] })).toBe(
      'approval',
    )
    expect(chain.tip().height).toBe(0)
  })

  test('behavior: the engine can list keys of messages from previous blocks', () => {
    const topic = Uint8Array.of(19, 2, ...new Uint8Array(64), 0)
    const stored = encodeCount(1)
    const listed: string[][] = []
    const engine = createFakeEngine(({ listKeys }) => {
      listed.push([...listKeys('1302')])
      return { writes: [[topic, stored]] }
    })
    const chain = createTestChain({ engine })
    for (const nonce of [1, 2]) chain.put(sessionOf(nonce))
    expect(listed).toEqual([[], [topic.toHex()]])
  })

  test('behavior: with manual blocks, a transaction is pending until the next block', () => {
    const chain = createTestChain({ blockTimeMs: 1000 })
    const transaction = sessionOf(1)
    chain.put(transaction)
    expect(chain.getTransaction('Version1', transaction.hash)).toEqual({
      json: transaction.json,
      blockHeight: null,
      executionInfo: null,
    })
    chain.put(transaction)
    chain.produceBlock()
    expect(resultOf(chain, transaction).error_message).toBeNull()
    chain.produceBlock()
    expect(chain.tip().height).toBe(2)
    expect(count(chain)).toBe(1)
  })

  test('behavior: transactions of a block run in the order of arrival, each on the state of the previous', () => {
    const engine = createFakeEngine()
    const chain = createTestChain({ blockTimeMs: 1000, engine })
    const sent = [1, 2, 3].map((nonce) => sessionOf(nonce))
    for (const transaction of sent) chain.put(transaction)
    chain.produceBlock()
    expect(count(chain)).toBe(3)
    expect(engine.requests.map(({ transactionHash }) => transactionHash.toHex())).toEqual(
      sent.map(({ hash }) => hash),
    )
  })

  test('behavior: a block has a maximum number of transactions per lane; the rest wait for the next block', () => {
    const chain = createTestChain({ blockTimeMs: 1000 })
    for (let nonce = 0; nonce < 5; nonce++) chain.put(sessionOf(nonce, { paymentMotes: 100_000_000_000 }))
    chain.put(sessionOf(9))
    const counts = [1, 2, 3].map(() => {
      chain.produceBlock()
      return count(chain)
    })
    expect(counts).toEqual([3, 5, 6])
  })

  test('behavior: a block has a maximum of gas', () => {
    const chain = createTestChain({ blockTimeMs: 1000 })
    const paymentMotes = 0.6 * chainspec.transactions.block_gas_limit
    chain.put(sessionOf(1, { paymentMotes }))
    chain.put(sessionOf(2, { paymentMotes, isInstall: true }))
    chain.put(sessionOf(3))
    chain.produceBlock()
    expect(count(chain)).toBe(2)
    chain.produceBlock()
    expect(count(chain)).toBe(3)
  })

  test('behavior: a transaction that expires before its block is dropped', () => {
    let now = NOW
    const engine = createFakeEngine()
    const chain = createTestChain({ blockTimeMs: 1000, now: () => now, engine })
    const transaction = sessionOf(1)
    chain.put(transaction)
    now += 1_800_001
    chain.produceBlock()
    expect(engine.requests).toEqual([])
    expect(chain.getTransaction('Version1', transaction.hash)).toBeNull()
  })

  test('behavior: block times increase strictly', () => {
    let now = NOW
    const chain = createTestChain({ blockTimeMs: 1000, now: () => now })
    const times = [0, 0, -5_000, 10, 10].map((step) => {
      now += step
      return chain.produceBlock().timestampMs - NOW
    })
    expect(times).toEqual([1, 2, 3, 4, 5])
    now = NOW + 100
    expect(chain.produceBlock().timestampMs).toBe(NOW + 100)
  })

  test('behavior: with a lagging clock, a transaction that would expire before its block is rejected', () => {
    let now = NOW
    const chain = createTestChain({ now: () => now })
    now += 1_800_000
    chain.produceBlock()
    now = NOW
    expect(chain.put(sessionOf(1))).toBe('expired')
    expect(chain.put(sessionOf(2, { timestampMs: NOW + 1 }))).toBeNull()
    expect(count(chain)).toBe(1)
  })

  test.each(protocols)(
    'behavior: no motes are lost or made at protocol %s, for any costs and failures',
    (protocol) => {
      const execution = fc.record({
        consumed: fc.bigInt(0n, 3_000_000_000n),
        error: fc.constantFrom(null, 'User error: 1'),
        bySecond: fc.boolean(),
      })
      const sessions = [keys.ed25519, keys.secp256k1].map((key) =>
        Array.from({ length: 6 }, (_, nonce) => sessionOf(nonce, { key })),
      )
      fc.assert(
        fc.property(fc.array(execution, { minLength: 1, maxLength: 6 }), (executions) => {
          const left = [...executions]
          const engine = createFakeEngine(() => left.shift() ?? {})
          const chain = createTestChain({ engine, chainspec: chainspecs[protocol] })
          const [before, supply] = [allMotes(chain), totalSupply(chain)]
          expect(before).toBe(2n * START_MOTES + 3n * 1_000_000_000_000n)
          for (const [nonce, { bySecond }] of executions.entries())
            chain.put(sessions[bySecond ? 1 : 0]?.[nonce] as Transaction)
          expect(chain.tip().height).toBe(executions.length)
          const burned = protocol === '2.2.2' ? feesOf(chain) : 0n
          expect(allMotes(chain)).toBe(before - burned)
          expect(totalSupply(chain)).toBe(supply - burned)
        }),
        { numRuns: 15 },
      )
    },
  )

  test('behavior: an era ends every 20 blocks, and every block is final by the weights of the previous era', async () => {
    const chain = createTestChain({ blockTimeMs: 1000 })
    for (let height = 1; height <= 45; height++) chain.produceBlock()
    let weights = new Map<string, bigint>()
    const switchBlocks: number[] = []
    for (let height = 0; height <= 45; height++) {
      const block = decodeBlock(chain.getBlock({ height })?.json)
      if (height > 0) expect(await checkFinality(block, weights, CHAIN_NAME)).toMatchObject({ isFinal: true })
      expect(block.header.parentHash).toBe(
        height === 0 ? '0'.repeat(64) : (chain.getBlock({ height: height - 1 })?.hash ?? ''),
      )
      if (block.header.eraEnd === null) continue
      switchBlocks.push(height)
      weights = new Map(validatorWeights(block.header.eraEnd.nextEraValidatorWeights))
    }
    expect(switchBlocks).toEqual([0, 20, 40])
    expect(chain.latestSwitchBlock().height).toBe(40)
  })

  test('behavior: everything that is stored is proven by the state root', () => {
    const chain = createTestChain()
    chain.put(sessionOf(1))
    const account = accountKey(accountHashOfHex(keys.ed25519.publicKey.toHex()))
    const { stateRootHash } = chain.tip()
    for (const key of [account, urefKey(counter)]) {
      const found = chain.read(stateRootHash, key)
      expect(found).not.toBeNull()
      verifyMerkleProof({
        merkleProof: found?.merkleProof.toHex() ?? '',
        stateRootHash,
        key: formatKey(key),
        what: 'value',
      })
    }
    expect(chain.read(stateRootHash, urefKey(counter))?.stored).toEqual(encodeCount(1))
  })

  test('behavior: old roots stay readable', () => {
    const chain = createTestChain()
    const before = chain.tip().stateRootHash
    chain.put(sessionOf(1))
    expect(chain.read(before, urefKey(counter))).toBeNull()
    expect(count(chain)).toBe(1)
  })

  test('behavior: the same seed, clock and transactions give the same chain, another seed a different one', () => {
    const hashes = (options = {}) => {
      const chain = createTestChain(options)
      for (const nonce of [1, 2]) chain.put(sessionOf(nonce))
      return [0, 1, 2].map((height) => chain.getBlock({ height })?.hash)
    }
    expect(hashes()).toEqual(hashes())
    expect(hashes({ seed: blake2b(seed) })[0]).not.toBe(hashes()[0])
    expect(hashes({ now: () => NOW + 1 })[0]).not.toBe(hashes()[0])
    expect(hashes({ chainName: CHAIN_NAME, now: () => NOW - 1 })[2]).not.toBe(hashes()[2])
  })

  test('error: an engine that throws is reported, and the chain continues', () => {
    let isBroken = true
    const engine = createFakeEngine(() => {
      if (isBroken) throw new Error('the engine broke')
      return {}
    })
    const chain = createTestChain({ engine })
    expect(() => chain.put(sessionOf(1))).toThrow('the engine broke')
    expect(chain.tip().height).toBe(0)
    isBroken = false
    expect(chain.put(sessionOf(2))).toBeNull()
    expect(count(chain)).toBe(1)
  })

  test('behavior: transactions of a failed block wait for the next one', () => {
    let callsLeft = Number.POSITIVE_INFINITY
    const chain = createTestChain({
      now: () => {
        if (callsLeft-- === 0) throw new Error('the clock broke')
        return NOW
      },
    })
    const [first, second] = [sessionOf(1), sessionOf(2)]
    for (const transaction of [first, second]) {
      // The chain reads the clock once to accept a transaction, and once more for its block.
      callsLeft = 1
      expect(() => chain.put(transaction)).toThrow('the clock broke')
    }
    expect(chain.getTransaction('Version1', first.hash)).toMatchObject({ blockHeight: null })
    expect(chain.put(first)).toBeNull()
    expect(count(chain)).toBe(2)
    expect(chain.tip().height).toBe(1)
  })

  test('behavior: a transaction that makes the engine throw is dropped, the other pending ones are not', () => {
    const engine = createFakeEngine(() => {
      if (engine.requests.length === 2) throw new Error('the engine broke')
      return {}
    })
    const chain = createTestChain({ blockTimeMs: 1000, engine })
    const sent = [1, 2, 3].map((nonce) => sessionOf(nonce))
    for (const transaction of sent) chain.put(transaction)
    expect(() => chain.produceBlock()).toThrow(
      `dropped transaction ${sent[1]?.hash}, because the engine failed`,
    )
    expect(chain.tip().height).toBe(0)
    chain.produceBlock()
    expect(count(chain)).toBe(2)
    expect(sent.map(({ hash }) => chain.getTransaction('Version1', hash)?.blockHeight)).toEqual([
      1,
      undefined,
      1,
    ])
  })
})

describe('createChain with a directory', () => {
  test('default: it continues from its last block', () => {
    using folder = createFolder()
    const first = createTestChain({ directory: folder.path })
    const sent = [1, 2, 3].map((nonce) => sessionOf(nonce))
    for (const transaction of sent) first.put(transaction)
    first.close()
    const again = createTestChain({ directory: folder.path, now: () => NOW + 5_000 })
    expect(again.genesisHash).toBe(first.genesisHash)
    expect(again.tip()).toEqual(first.tip())
    for (const { hash } of sent)
      expect(again.getTransaction('Version1', hash)).toEqual(first.getTransaction('Version1', hash))
    again.put(sent[0] as Transaction)
    expect(again.tip().height).toBe(3)
    again.put(sessionOf(4))
    expect(again.tip()).toMatchObject({ height: 4, timestampMs: NOW + 5_000 })
    expect(count(again)).toBe(4)
    again.close()
  })

  test('behavior: its blocks equal those of a chain in memory', () => {
    using folder = createFolder()
    const kept = createTestChain({ directory: folder.path })
    const inMemory = createTestChain()
    for (const chain of [kept, inMemory]) chain.put(sessionOf(1))
    expect(kept.tip().hash).toBe(inMemory.tip().hash)
    kept.close()
  })

  test('error: a block that does not lead to its state root', () => {
    using folder = createFolder()
    const chain = createTestChain({ directory: folder.path })
    chain.put(sessionOf(1))
    chain.close()
    using database = new Database(`${folder.path}/blocks.db`, { readwrite: true })
    database.run("UPDATE record SET json = json_remove(json, '$.writes[0]') WHERE number = 2")
    database.close()
    expect(() => createTestChain({ directory: folder.path })).toThrow(
      'replaying block 1 did not result in its state root',
    )
  })

  test('error: another protocol', () => {
    using folder = createFolder()
    const { path: directory } = folder
    createTestChain({ directory, chainspec: chainspecs['2.0.3'] }).close()
    expect(() => createTestChain({ directory, chainspec: chainspecs['2.2.2'] })).toThrow(
      `${directory} does not belong to this chain: its protocol is 2.0.0, not 2.2.2 (--protocol); use another --data directory`,
    )
    createTestChain({ directory, chainspec: chainspecs['2.0.3'] }).close()
  })

  test('error: another chain name, seed or set of accounts', () => {
    using folder = createFolder()
    createTestChain({ directory: folder.path }).close()
    for (const change of [{ chainName: 'casper-test' }, { seed: blake2b(seed) }, { accounts: [] }])
      expect(() => createTestChain({ directory: folder.path, ...change })).toThrow(ForeignDataError)
    createTestChain({ directory: folder.path }).close()
  })
})
