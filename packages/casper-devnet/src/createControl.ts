import { InvalidArgumentError } from '@wattfeed/base'
import type { Chain } from './chain/createChain.ts'
import type { DevnetAccount } from './devnetAccount.ts'
import type { DevnetControl } from './rpc/devnetMethods.ts'
import { accountPutTransaction } from './rpc/transactionMethods.ts'
import { signRequest } from './transaction/signRequest.ts'

const FAUCET_TTL_MS = 30 * 60_000

/** @param faucet the account that funds others */
export function createControl(chain: Chain, faucet: DevnetAccount): DevnetControl {
  let sent = 0
  return {
    now: chain.now,
    produceBlock: chain.produceBlock,
    setTime: chain.setTime,
    increaseTime(ms) {
      if (!Number.isSafeInteger(ms) || ms < 1)
        throw new InvalidArgumentError('time', 'increased by whole milliseconds')
      chain.setTime(Math.max(chain.now(), chain.tip().timestampMs) + ms)
    },
    snapshot: chain.snapshot,
    revert(snapshotId) {
      chain.revert(snapshotId)
      return chain.tip()
    },
    requestFunds(to, motes) {
      // A different time to live makes each transaction unique, also at the same time.
      const ttlMs = FAUCET_TTL_MS + (sent++ % FAUCET_TTL_MS)
      const context = { account: faucet, chainName: chain.chainName, timestampMs: chain.now(), ttlMs }
      const { hash, transaction } = signRequest({ to, motes }, context)
      accountPutTransaction(chain, { transaction })
      return hash
    },
  }
}
