import { keyTags } from '@wattfeed/casper/types'

export interface MessageKeys {
  update(writes: Iterable<readonly [string, Uint8Array | null]>): void
  list(prefix: string): Iterable<string>
  fork(): MessageKeys
}

const MESSAGE_PREFIX = keyTags.message.toString(16)

/** Creates an index of the few keys that are searched by prefix. Global state only finds values by their complete key. */
export function createMessageKeys(keys = new Set<string>()): MessageKeys {
  return {
    update(writes) {
      for (const [key, value] of writes) {
        if (!key.startsWith(MESSAGE_PREFIX)) continue
        if (value === null) keys.delete(key)
        else keys.add(key)
      }
    },
    list: (prefix) => keys.values().filter((key) => key.startsWith(prefix)),
    fork: () => createMessageKeys(new Set(keys)),
  }
}
