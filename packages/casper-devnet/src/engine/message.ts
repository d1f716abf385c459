import { blake2b } from '../blake2b.ts'

/** Global state contains only a message's checksum. */
export interface Message {
  readonly contractHash: Uint8Array
  readonly payload:
    | { readonly kind: 'String'; readonly text: string }
    | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  readonly topicName: string
  readonly topicNameHash: Uint8Array
  /** Index within its topic in this block. */
  readonly topicIndex: number
  /** Index within this block. */
  readonly blockIndex: number
}

/** Returns the hash of a topic's name for keys: BLAKE2b-256 of its UTF-8 bytes. */
export const hashTopicName = (topicName: string): Uint8Array => blake2b(new TextEncoder().encode(topicName))
