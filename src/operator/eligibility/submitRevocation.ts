import { clAddress } from '../../casper/types/arguments.ts'
import { type OwnerOutcome, type OwnerSettings, submitOwnerCall } from './submitOwnerCall.ts'

/**
 * Takes an account's eligibility back, as the gate's owner. The feeds that it has claimed stay its own, and the
 * identity that vouched for it stays used.
 *
 * Nothing is sent for an account that is not eligible. Throws a `PreflightError`, and what `sendCall` throws.
 *
 * @param accountHash 64 hex digits.
 */
export function submitRevocation(accountHash: string, settings: OwnerSettings): Promise<OwnerOutcome> {
  return submitOwnerCall(
    {
      entryPoint: 'revoke',
      args: { who: clAddress(`account-hash-${accountHash}`) },
      isDone: async (gate) => !(await gate.isEligible(accountHash)),
    },
    settings,
  )
}
