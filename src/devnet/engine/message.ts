import { encodeHex } from '../../bytes/hex.ts'

/** What a contract said to whoever listens; global state keeps no more than its checksum. */
export interface Message {
  readonly contractHash: Uint8Array
  readonly payload:
    | { readonly kind: 'String'; readonly text: string }
    | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  readonly topicName: string
  readonly topicNameHash: Uint8Array
  /** Its number among those of its topic in this block. */
  readonly topicIndex: number
  /** Its number among all of this block. */
  readonly blockIndex: number
}

/** A message as a node prints it. */
export function messageJson(message: Message): object {
  const { contractHash, payload, topicName, topicNameHash, topicIndex, blockIndex } = message
  return {
    entity_addr: `entity-contract-${encodeHex(contractHash)}`,
    message: payload.kind === 'String' ? { String: payload.text } : { Bytes: encodeHex(payload.bytes) },
    topic_name: topicName,
    topic_name_hash: encodeHex(topicNameHash),
    topic_index: topicIndex,
    block_index: blockIndex,
  }
}
