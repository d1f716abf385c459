/** A block older than this is not the newest, because a Casper chain makes one every few seconds; the library's limit, too. */
export const MAX_BLOCK_AGE_MS = 5 * 60_000
