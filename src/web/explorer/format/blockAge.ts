/** An older block is not the newest, because Casper creates one every few seconds. The library's default of `maxHeadAgeMs` is the same. */
export const MAX_BLOCK_AGE_MS = 5 * 60_000
