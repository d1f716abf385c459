import { messageTopicKey } from '@wattfeed/casper/types'
import type { CallContext } from './callContext.ts'
import { writeStored } from './hostFunctions/writeStored.ts'
import { hashTopicName } from './message.ts'

/** Registers a topic of a contract, without messages. */
export function writeTopic(context: CallContext, contractHash: Uint8Array, topicName: string): void {
  writeStored(context, messageTopicKey(contractHash, hashTopicName(topicName)), {
    kind: 'MessageTopic',
    topic: { messageCount: 0, blockTimeMs: context.execution.block.timeMs, topicName },
  })
}

/** A topic's key: a tag, a kind of owner, the contract's hash, the hash of the topic's name, a zero. */
const TOPIC_KEY_BYTES = 1 + 1 + 32 + 32 + 1
/** The part of it that all topics of a contract share. */
const SHARED_BYTES = 1 + 1 + 32

/** Lists the names of a contract's topics. Keys of messages have the same prefix and an additional number. */
export function listTopics({ execution }: CallContext, contractHash: Uint8Array): string[] {
  const prefix = messageTopicKey(contractHash, new Uint8Array()).subarray(0, SHARED_BYTES)
  return execution.state
    .listKeys(prefix.toHex())
    .filter((key) => key.length === 2 * TOPIC_KEY_BYTES)
    .flatMap((key) => {
      const stored = execution.state.peek(Uint8Array.fromHex(key))
      return stored?.kind === 'MessageTopic' ? [stored.topic.topicName] : []
    })
}
