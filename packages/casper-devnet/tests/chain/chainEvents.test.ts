import { describe, expect, test } from 'bun:test'
import { finalityMessage } from '@wattfeed/casper/light-client'
import { CHAIN_NAME, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { decodeBlock } from '@wattfeed/casper/types'
import { PublicKey } from 'casper-js-sdk'
import { blake2b } from '../../src/blake2b.ts'
import type { ChainEvent } from '../../src/chain/chainEvent.ts'
import { blockAt } from '../../src/chain/chainView.ts'
import type { Chain } from '../../src/chain/createChain.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { createDevnet } from '../../src/createDevnet.ts'
import { hashTopicName, type Message } from '../../src/engine/message.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'

function listen(chain: Pick<Chain, 'subscribe'>): ChainEvent[] {
  const heard: ChainEvent[] = []
  chain.subscribe((event) => void heard.push(event))
  return heard
}

const namesOf = (events: readonly ChainEvent[]): string[] => events.flatMap((event) => Object.keys(event))

/** Returns the content of the first event of a name. */
function contentOf(events: readonly ChainEvent[], name: string): unknown {
  const found = events.find((event) => name in event)
  return found && Object.values(found)[0]
}

const topicName = 'prices'
const message: Message = {
  contractHash: new Uint8Array(32).fill(7),
  payload: { kind: 'String', text: 'up' },
  topicName,
  topicNameHash: hashTopicName(topicName),
  topicIndex: 0,
  blockIndex: 2,
}

describe('the events of a chain', () => {
  test('default: a transaction is accepted, then its block is signed and added, then it is processed', () => {
    const chain = createTestChain({ engine: createFakeEngine(() => ({ messages: [message] })) })
    const heard = listen(chain)
    const session = sessionOf(1)
    chain.put(session)
    const signatures = Array<string>(3).fill('FinalitySignature')
    expect(namesOf(heard)).toEqual([
      'ApiVersion',
      'TransactionAccepted',
      ...signatures,
      'BlockAdded',
      'TransactionProcessed',
    ])
    const { hash, json } = chain.tip()
    expect(heard[0]).toEqual({ ApiVersion: chain.protocolVersion() })
    expect(contentOf(heard, 'TransactionAccepted')).toEqual(session.json)
    expect(contentOf(heard, 'BlockAdded')).toEqual({ block_hash: hash, block: json.block })
    const { executionInfo } = chain.getTransaction('Version1', session.hash) ?? {}
    expect(contentOf(heard, 'TransactionProcessed')).toEqual({
      transaction_hash: { Version1: session.hash },
      initiator_addr: { PublicKey: keys.ed25519.publicKey.toHex() },
      timestamp: new Date(NOW).toISOString(),
      ttl: '30m',
      block_hash: hash,
      execution_result: Object(executionInfo).execution_result,
      messages: [
        {
          entity_addr: `entity-contract-${'07'.repeat(32)}`,
          message: { String: 'up' },
          topic_name: 'prices',
          topic_name_hash: blake2b(new TextEncoder().encode('prices')).toHex(),
          topic_index: 0,
          block_index: 2,
        },
      ],
    })
  })

  test('default: each finality signature signs the block', () => {
    const chain = createTestChain()
    const heard = listen(chain)
    chain.produceBlock()
    const signed = finalityMessage(decodeBlock(chain.tip().json), CHAIN_NAME)
    const signatures = heard.flatMap((event) =>
      'FinalitySignature' in event ? [event.FinalitySignature.V2] : [],
    )
    expect(signatures).toHaveLength(3)
    for (const { signature, public_key, ...rest } of signatures) {
      expect(PublicKey.fromHex(public_key).verifySignature(signed, Uint8Array.fromHex(signature))).toBeTrue()
      const chain_name_hash = blake2b(new TextEncoder().encode(CHAIN_NAME)).toHex()
      expect(rest).toEqual({ block_hash: chain.tip().hash, block_height: 1, era_id: 1, chain_name_hash })
    }
  })

  test('default: the end of an era is a step with what it wrote', () => {
    const chain = createTestChain({ eraLength: 2 })
    chain.produceBlock()
    const heard = listen(chain)
    chain.produceBlock()
    expect(namesOf(heard)[1]).toBe('Step')
    expect(contentOf(heard, 'Step')).toEqual({
      era_id: 1,
      execution_effects: [
        { key: expect.stringContaining('era-summary'), kind: { Write: { EraInfo: expect.anything() } } },
      ],
    })
  })

  test('behavior: a transaction that is sent twice is accepted once', () => {
    const chain = createTestChain({ blockTimeMs: 'manual' })
    const heard = listen(chain)
    for (let count = 0; count < 2; count++) chain.put(sessionOf(1))
    chain.produceBlock()
    chain.put(sessionOf(1))
    expect(namesOf(heard).filter((name) => name.startsWith('Transaction'))).toEqual([
      'TransactionAccepted',
      'TransactionProcessed',
    ])
  })

  test('behavior: a transaction that waits for too long expires', () => {
    let now = NOW
    const chain = createTestChain({ blockTimeMs: 'manual', now: () => now })
    const session = sessionOf(1)
    chain.put(session)
    const heard = listen(chain)
    now += 31 * 60_000
    chain.produceBlock()
    expect(contentOf(heard, 'TransactionExpired')).toEqual({ transaction_hash: { Version1: session.hash } })
    expect(contentOf(heard, 'TransactionProcessed')).toBeUndefined()
  })

  test('behavior: an upgrade announces its protocol, and its first block ends an era', () => {
    const chain = createTestChain({ chainspec: chainspecs['2.0.3'], eraLength: 2, blockTimeMs: 'manual' })
    const heard = listen(chain)
    chain.produceBlock()
    chain.upgrade(chainspecs['2.2.2'])
    for (let height = 2; height <= 3; height++) chain.produceBlock()
    const versions = heard.flatMap((event) => ('ApiVersion' in event ? [event.ApiVersion] : []))
    expect(versions).toEqual(['2.0.0', '2.2.2'])
    const steps = heard.flatMap((event) => ('Step' in event ? [event.Step] : []))
    expect(steps.map(({ era_id, execution_effects }) => [era_id, execution_effects.length])).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect(blockAt(chain, 3).isSwitchBlock).toBeTrue()
  })

  test('behavior: listeners hear later events only, until they are removed; a fork has its own', () => {
    const chain = createTestChain({ blockTimeMs: 'manual' })
    chain.produceBlock()
    const heard: ChainEvent[] = []
    const unsubscribe = chain.subscribe((event) => void heard.push(event))
    chain.fork(() => NOW).produceBlock()
    expect(namesOf(heard)).toEqual(['ApiVersion'])
    unsubscribe()
    chain.produceBlock()
    expect(namesOf(heard)).toEqual(['ApiVersion'])
  })

  test('error: what a listener throws is reported, and the block stays', async () => {
    const reported: unknown[] = []
    await using devnet = createDevnet({
      now: () => NOW,
      accounts: 1,
      report: (error) => reported.push(error),
    })
    const fault = new Error('full')
    devnet.subscribe((event) => {
      if ('BlockAdded' in event) throw fault
    })
    expect(devnet.produceBlock().height).toBe(1)
    expect(reported).toEqual([fault])
  })
})
