/** An older block is not the newest, because Casper creates one every few seconds. The library has the same limit. */
export const MAX_BLOCK_AGE_MS = 5 * 60_000
