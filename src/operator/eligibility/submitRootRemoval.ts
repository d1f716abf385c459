import { clU256 } from '../../casper/types/arguments.ts'
import { type OwnerOutcome, type OwnerSettings, submitOwnerCall } from './submitOwnerCall.ts'

/**
 * Takes a root back, as the gate's owner: proofs for it count no longer, claims that were granted stay.
 *
 * Nothing is sent for a root that does not count, because the contract would refuse it. Throws a `PreflightError`,
 * and what `sendCall` throws.
 */
export function submitRootRemoval(root: bigint, settings: OwnerSettings): Promise<OwnerOutcome> {
  return submitOwnerCall(
    {
      entryPoint: 'remove_root',
      args: { root: clU256(root) },
      isDone: async (gate) => !(await gate.listRoots()).includes(root),
    },
    settings,
  )
}
