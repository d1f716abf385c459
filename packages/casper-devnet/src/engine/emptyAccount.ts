import type { Account } from '@wattfeed/casper/types'

/** Returns a new account, whose own key can do everything. */
export const emptyAccount = (accountHash: Uint8Array, mainPurse: Uint8Array): Account => ({
  accountHash,
  namedKeys: new Map(),
  mainPurse,
  associatedKeys: [{ accountHash, weight: 1 }],
  actionThresholds: { deployment: 1, keyManagement: 1 },
})
