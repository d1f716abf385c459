import { clU256 } from '../../casper/types/arguments.ts'
import { type OwnerOutcome, type OwnerSettings, submitOwnerCall } from './submitOwnerCall.ts'

/**
 * Makes a group's root the newest one of a gate, as the gate's owner. Sending it twice does no harm.
 *
 * Throws a `PreflightError`, and what `sendCall` throws.
 */
export function submitRoot(root: bigint, settings: OwnerSettings): Promise<OwnerOutcome> {
  return submitOwnerCall(
    {
      entryPoint: 'set_root',
      args: { root: clU256(root) },
      isDone: async (gate) => (await gate.listRoots()).at(-1) === root,
    },
    settings,
  )
}
