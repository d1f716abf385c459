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
