import { blake2b } from '../blake2b.ts'
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

/** What stands for a topic's name in keys: the blake2b of its UTF-8. */
export const hashTopicName = (topicName: string): Uint8Array => blake2b(new TextEncoder().encode(topicName))
