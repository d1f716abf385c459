import { type Cursor, createByteWriter, createCursor, DecodeError } from '@wattfeed/base'
import {
  addressOf,
  blockMessageCountKey,
  encodeStoredValue,
  keyTags,
  type MessageTopic,
  messageKey,
  messageTopicKey,
  type StoredValue,
} from '@wattfeed/casper/types'
import { blake2b } from '../../blake2b.ts'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { decodeInput, ExecutionError, invalidContextError, typeMismatchError } from '../executionError.ts'
import { hashTopicName, type Message } from '../message.ts'
import { listTopics, writeTopic } from '../messageTopics.ts'
import { utf8Fault } from '../utf8Fault.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readInput, readText } from './input.ts'
import { chargeStorage } from './writeStored.ts'

/** A contract registers topics, and emits messages on them. */
export const messageFunctions: HostFunctions = {
  manage_message_topic: {
    parameters: 4,
    hasResult: true,
    cost: costOf('manage_message_topic'),
    run(runtime, topicPointer, topicSize, operationPointer, operationSize) {
      if (topicSize > runtime.execution.chainspec.wasm.messages_limits.max_topic_name_size)
        return apiErrors.MaxTopicNameSizeExceeded
      const topicName = readTopicName(runtime, topicPointer, topicSize)
      const [operation] = operationSize === 1 ? runtime.memory.read(operationPointer, 1) : []
      if (operation !== ADD_TOPIC) throw new ExecutionError('The imputed operation is invalid')
      return addTopic(runtime, topicName)
    },
  },
  emit_message: {
    parameters: 4,
    hasResult: true,
    // The fixed part of the cost grows with each message of the transaction.
    cost: (costs, args, { messageCost }) =>
      messageCost + costOf('emit_message')(costs, args) - costs.emit_message.cost,
    run(runtime, topicPointer, topicSize, payloadPointer, payloadSize) {
      const { max_topic_name_size, max_message_size } = runtime.execution.chainspec.wasm.messages_limits
      if (topicSize > max_topic_name_size) return apiErrors.MaxTopicNameSizeExceeded
      if (payloadSize > max_message_size) return apiErrors.MessageTooLarge
      const topicName = readTopicName(runtime, topicPointer, topicSize)
      const payload = readInput(runtime, payloadPointer, payloadSize, readPayload)
      return emitMessage(runtime, topicName, payload)
    },
  },
}

/** The only operation on a topic. */
const ADD_TOPIC = 0

function readTopicName(runtime: Runtime, pointer: number, size: number): string {
  const topicName = readText(runtime, pointer, size)
  if (topicName !== null) return topicName
  const fault = utf8Fault(runtime.memory.read(pointer, size))
  throw new ExecutionError(`Invalid UTF-8 string encoding: ${fault}`)
}

function addTopic(runtime: Runtime, topicName: string): number {
  const { contextKey, execution } = runtime
  if (contextKey[0] !== keyTags.hash) throw invalidContextError()
  const topics = listTopics(runtime, addressOf(contextKey))
  if (topics.length >= execution.chainspec.wasm.messages_limits.max_topics_per_contract)
    return apiErrors.MaxTopicsNumberExceeded
  if (topics.includes(topicName)) return apiErrors.MessageTopicAlreadyRegistered
  writeTopic(runtime, addressOf(contextKey), topicName)
  return 0
}

type Payload = Message['payload']

const STRING = 0
const BYTES = 1

function readPayload(cursor: Cursor): Payload {
  const tag = cursor.u8()
  if (tag === STRING) return { kind: 'String', text: cursor.string() }
  if (tag === BYTES) return { kind: 'Bytes', bytes: cursor.byteList() }
  throw new DecodeError('message', `unknown payload tag ${tag}`)
}

function emitMessage(runtime: Runtime, topicName: string, payload: Payload): number {
  const { execution, contextKey } = runtime
  // Only contracts can register topics.
  if (contextKey[0] === keyTags.account) return apiErrors.MessageTopicNotRegistered
  const contractHash = addressOf(contextKey)
  const topicNameHash = hashTopicName(topicName)
  const topic = execution.state.read(messageTopicKey(contractHash, topicNameHash))
  if (topic?.kind !== 'MessageTopic') return apiErrors.MessageTopicNotRegistered
  const message = {
    contractHash,
    payload,
    topicName,
    topicNameHash,
    topicIndex: startTopic(runtime, contractHash, topicNameHash, topic.topic),
    blockIndex: countMessages(runtime),
  }
  writeMessage(runtime, message)
  execution.messages.push(message)
  execution.messageCost += execution.chainspec.wasm.v1.host_function_costs.cost_increase_per_message
  return 0
}

/**
 * Returns the number of the topic's messages in this block. Before the first one, which overwrites message 0, prunes the
 * other messages of an earlier block.
 */
function startTopic(
  { execution }: Runtime,
  contractHash: Uint8Array,
  topicNameHash: Uint8Array,
  { blockTimeMs, messageCount }: MessageTopic,
): number {
  if (blockTimeMs === execution.block.timeMs) return messageCount
  for (let index = 1; index < messageCount; index++)
    execution.state.prune(messageKey(contractHash, topicNameHash, index))
  return 0
}

function countMessages({ execution }: Runtime): number {
  const stored = execution.state.read(blockMessageCountKey())
  if (stored === null) return 0
  if (stored.kind !== 'CLValue') throw typeMismatchError('StoredValue', stored.kind)
  return decodeInput(() => {
    const cursor = createCursor(stored.value.bytes, 'CLValue')
    const [time, count] = [cursor.u64(), cursor.u64()]
    cursor.end()
    return Number(time) === execution.block.timeMs ? Number(count) : 0
  }, 'CLValue error')
}

function writeMessage(runtime: Runtime, message: Message): void {
  const { block, state } = runtime.execution
  const { timeMs: blockTimeMs } = block
  const { contractHash, topicName, topicNameHash, topicIndex, blockIndex } = message
  const topic = { messageCount: topicIndex + 1, blockTimeMs, topicName }
  const written: [Uint8Array, StoredValue][] = [
    [
      messageKey(contractHash, topicNameHash, topicIndex),
      { kind: 'Message', checksum: hashMessage(message) },
    ],
    [messageTopicKey(contractHash, topicNameHash), { kind: 'MessageTopic', topic }],
    [blockMessageCountKey(), { kind: 'CLValue', value: blockMessageCount(blockTimeMs, blockIndex + 1) }],
  ]
  const encoded = written.map(([key, value]) => ({ key, stored: encodeStoredValue(value) }))
  const bytes = encoded.reduce((sum, { stored }) => sum + stored.length, 0)
  chargeStorage(runtime, bytes)
  for (const { key, stored } of encoded) state.write(key, stored)
}

const blockMessageCount = (blockTimeMs: number, count: number) =>
  ({
    clType: { Tuple2: ['U64', 'U64'] },
    bytes: createByteWriter().u64(blockTimeMs).u64(count).finish(),
  }) as const

function hashMessage({ blockIndex, payload }: Message): Uint8Array {
  const writer = createByteWriter().u64(blockIndex)
  if (payload.kind === 'String') writer.u8(STRING).string(payload.text)
  else writer.u8(BYTES).byteList(payload.bytes)
  return blake2b(writer.finish())
}
