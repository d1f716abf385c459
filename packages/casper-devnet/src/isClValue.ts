import type { ClValue } from '@wattfeed/casper/types'

/** Returns whether something is a value with its type, as the functions here make. */
export const isClValue = (value: unknown): value is ClValue =>
  Object(value).bytes instanceof Uint8Array && Object(value).clType !== undefined
