import { beforeEach, describe, expect, test } from 'bun:test'
import { parseKey, stateKey } from '@wattfeed/casper/types'
import type { ExecutionResult } from '../../src/engine/execute.ts'
import { formatEffect } from '../../src/engine/transform.ts'
import { createEngineChain, type EngineChain } from '../support/engine/engineChain.ts'
import {
  decodeArguments,
  type HostFunctionVector,
  readHostFunctionVectors,
} from './support/hostFunctionVectors.ts'

function vectorOf(label: string): HostFunctionVector {
  const found = readHostFunctionVectors().find((vector) => vector.label === label)
  if (found === undefined) throw new Error(`there is no vector ${label}`)
  return found
}

const vector = vectorOf('install + native events')
const initiator = Uint8Array.fromHex(vector.initiator.replace('account-hash-', ''))
const contractHash = Uint8Array.fromHex('b4726cdb35b896390b082208408bf243347b6bf78df099cc4098861d86ec4597')
const topicHash = 'e0846cb0e9995ea903dd1b6a275f9c7d9f23e2f83b6918a8a01ba857ff7efdad'
const entity = `entity-contract-${contractHash.toHex()}`

describe('messages of a contract', () => {
  let chain: EngineChain
  let installed: ExecutionResult

  beforeEach(() => {
    chain = createEngineChain()
    chain.addAccount(initiator)
    chain.blockTimeMs = vector.block_time
    installed = chain.execute({
      initiator,
      transactionHash: Uint8Array.fromHex(vector.hash),
      target: { kind: 'session', wasm: Uint8Array.fromHex(vector.session), isInstallOrUpgrade: true },
      args: decodeArguments(vector.args),
    })
  })

  const emit = () =>
    chain.execute({ initiator, target: { kind: 'call', contract: { contractHash }, entryPoint: 'emit' } })

  test('default: a transaction returns the messages and writes their checksums', () => {
    expect(installed.messages.map(({ contractHash: from, topicName }) => [from, topicName])).toEqual(
      Array(5).fill([contractHash, 'EVENTS']),
    )
    expect(installed.messages.map(({ topicIndex, blockIndex }) => [topicIndex, blockIndex])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ])
  })

  test('behavior: numbering continues within a block', () => {
    const [message] = emit().messages
    expect(message).toMatchObject({
      contractHash,
      topicName: 'EVENTS',
      topicNameHash: Uint8Array.fromHex(topicHash),
      topicIndex: 5,
      blockIndex: 5,
    })
  })

  test('behavior: the first message of a later block prunes the previous ones, except the one that it replaces', () => {
    chain.blockTimeMs += 1
    const { error, effects, messages } = emit()
    expect(error).toBeNull()
    const message = (index: number) => `message-${entity}-${topicHash}-${index}`
    const topic = `message-topic-${entity}-${topicHash}`
    const count = `block-message-count-${'00'.repeat(31)}`
    expect(effects.slice(3).map(formatEffect)).toEqual([
      { key: topic, kind: 'Identity' },
      ...[1, 2, 3, 4].map((index) => ({ key: message(index), kind: { Prune: message(index) } })),
      { key: count, kind: 'Identity' },
      ...[0, 1].flatMap((index) => [
        ...(index === 0 ? [] : [topic, count].map((key) => ({ key, kind: 'Identity' }))),
        { key: message(index), kind: { Write: { Message: expect.stringMatching(/^message-checksum-/) } } },
        {
          key: topic,
          kind: {
            Write: {
              MessageTopic: {
                message_count: index + 1,
                blocktime: vector.block_time + 1,
                topic_name: 'EVENTS',
              },
            },
          },
        },
        {
          key: count,
          kind: {
            Write: { CLValue: expect.objectContaining({ parsed: [vector.block_time + 1, index + 1] }) },
          },
        },
      ]),
    ])
    expect(messages.map(({ topicIndex, blockIndex }) => [topicIndex, blockIndex])).toEqual([
      [0, 0],
      [1, 1],
    ])
  })

  test('behavior: pruned messages are not readable', () => {
    chain.blockTimeMs += 1
    emit()
    const key = (index: number) => stateKey(parseKey(`message-${entity}-${topicHash}-${index}`))
    expect([0, 1, 2, 3, 4, 5].map((index) => chain.state.has(key(index)))).toEqual([
      ...[true, true, false],
      ...[false, false, false],
    ])
  })
})
