import { toleranceOf } from '@wattfeed/casper/types'
import { quorumsOf } from '../../committee/committee.ts'
import type { AccountKeys } from './accountKeys.ts'
import type { KnownProposal } from './knownProposals.ts'
import type { MemberOptions } from './memberState.ts'

/**
 * Whether more members have signed a proposal than may be hostile, so that an honest one is among them. As many may be hostile as may
 * be down and as may sign twice. One may always be.
 */
export function hasHonestSigner(
  { recovery }: Pick<MemberOptions, 'recovery'>,
  { approvals }: Pick<KnownProposal, 'approvals'>,
  { weights, threshold }: AccountKeys,
): boolean {
  const { down = 0, doubleSigners = null } =
    toleranceOf(quorumsOf({ weights, recovery, deployment: threshold })) ?? {}
  const signers = [...approvals.keys()].filter((key) => weights.has(key))
  return signers.length > Math.max(1, Math.min(down, doubleSigners ?? 0))
}
