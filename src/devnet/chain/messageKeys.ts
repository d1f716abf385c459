import { keyTags } from '../../casper/types/key.ts'

/** Keys of messages and of their topics, which an engine asks for by what they start with. */
export interface MessageKeys {
  /** Takes note of what a block wrote. */
  note(writes: Iterable<readonly [string, Uint8Array | null]>): void
  /** All that start with a prefix (hex). */
  list(prefix: string): Iterable<string>
}

const MESSAGE_PREFIX = keyTags.message.toString(16)

/** Global state finds a value by its whole key only, so this keeps count of the few keys that are looked up otherwise. */
export function createMessageKeys(): MessageKeys {
  const keys = new Set<string>()
  return {
    note(writes) {
      for (const [key, value] of writes) {
        if (!key.startsWith(MESSAGE_PREFIX)) continue
        if (value === null) keys.delete(key)
        else keys.add(key)
      }
    },
    list: (prefix) => keys.values().filter((key) => key.startsWith(prefix)),
  }
}
