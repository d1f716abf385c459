// Separate from the feeds, which are loaded on demand.

/** An absent item is read again after this time, because the node may have been wrong. */
export const ASK_AGAIN_AFTER_MS = 10_000
