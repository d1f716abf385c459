import { concatBytes } from '@noble/hashes/utils.js'
import { type ByteWriter, type Cursor, DecodeError } from '@wattfeed/base'
import { keyTags } from './key.ts'

/** A topic on which a contract emits messages, as stored in global state. */
export interface MessageTopic {
  /** Number of messages in the block of `blockTimeMs`. */
  readonly messageCount: number
  readonly blockTimeMs: number
  readonly topicName: string
}

export function writeMessageTopic(writer: ByteWriter, topic: MessageTopic): ByteWriter {
  return writer.u32(topic.messageCount).u64(topic.blockTimeMs).string(topic.topicName)
}

export function readMessageTopic(cursor: Cursor): MessageTopic {
  return {
    messageCount: cursor.u32(),
    blockTimeMs: readBlockTime(cursor),
    topicName: cursor.string(),
  }
}

function readBlockTime(cursor: Cursor): number {
  const time = cursor.u64()
  if (time > BigInt(Number.MAX_SAFE_INTEGER))
    throw new DecodeError('MessageTopic', `block time ${time} is out of range`)
  return Number(time)
}

export function formatMessageTopic({ messageCount, blockTimeMs, topicName }: MessageTopic): object {
  return { message_count: messageCount, blocktime: blockTimeMs, topic_name: topicName }
}

const CONTRACT_ENTITY = 2

/** Creates the key of a topic of messages. */
export function messageTopicKey(contractHash: Uint8Array, topicNameHash: Uint8Array): Uint8Array {
  return concatBytes(
    Uint8Array.of(keyTags.message, CONTRACT_ENTITY),
    contractHash,
    topicNameHash,
    Uint8Array.of(0),
  )
}

/** Creates the key of a message of a topic. */
export function messageKey(contractHash: Uint8Array, topicNameHash: Uint8Array, index: number): Uint8Array {
  const key = concatBytes(messageTopicKey(contractHash, topicNameHash), new Uint8Array(4))
  key[66] = 1
  new DataView(key.buffer).setUint32(67, index, true)
  return key
}

/** Creates the key of the number of messages in a block. */
export const blockMessageCountKey = (): Uint8Array =>
  concatBytes(Uint8Array.of(keyTags.blockGlobal, 1), new Uint8Array(31))
