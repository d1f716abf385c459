import { accountHashOfText, formatAccountHash } from '@wattfeed/casper/types'
import { LIFETIME_MS } from '../../agent/committee/slot.ts'
import { loadPayingSigner } from '../openPayer.ts'
import type { ProgramContext } from '../program.ts'
import { committeeSettings, neededToPay, type PayingSettings, readSettings } from '../settings.ts'
import { CommitteeError } from './committeeError.ts'

export const readCommitteeSettings = (
  program: ProgramContext,
  { writes }: { writes: boolean },
): PayingSettings => readSettings(program, committeeSettings, writes ? neededToPay : [])

/**
 * Returns how long a transaction that was signed before a change may still be executed. Members of a committee sign with its
 * own lifetime; an agent alone signs as long as its setting says.
 */
export const lifetimeOf = ({ transactionTtlMs }: Pick<PayingSettings, 'transactionTtlMs'>): number =>
  Math.max(LIFETIME_MS, transactionTtlMs)

/** Returns the account to show or change, `account-hash-…`: the one that the settings name, else the key's own. */
export async function findAccountHash(
  settings: PayingSettings,
  { terminal }: ProgramContext,
): Promise<string> {
  const { attesterAccount: account, attesterKeyPath } = settings
  const hash = account && accountHashOfText(account)
  if (hash) return formatAccountHash(hash)
  if (attesterKeyPath === null)
    throw new CommitteeError({
      reason: 'no_account',
      message: 'no account is given: set ATTESTER_ACCOUNT, or ATTESTER_KEY_PATH',
    })
  const { accountHash } = await loadPayingSigner(settings, terminal)
  return accountHash
}
