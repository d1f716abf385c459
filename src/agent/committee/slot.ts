/** Chain time is divided into slots of this length, each with one leader. */
export const SLOT_MS = 30_000

/** The lifetime of a committee's transactions. It is longer than a slot, so that a later leader can complete them. */
export const LIFETIME_MS = 120_000

/** @param time epoch milliseconds of a block or a transaction */
export const slotOf = (time: number): number => Math.floor(time / SLOT_MS)

/** Epoch milliseconds. */
export const slotStart = (slot: number): number => slot * SLOT_MS
