import { assertLink, type Checker } from './checker.ts'
import type { FeedProofTrust } from './feedProofCheck.ts'

/** Checks that a proof is of what the user requested, if the user named that. `name` is what the proof is of. */
export async function checkAsked(
  { feedId, index, list }: FeedProofTrust,
  checker: Checker,
  name: string,
  isAsked: boolean,
): Promise<void> {
  if (feedId === undefined && index === undefined && list === undefined) return
  await checker.check(
    'what was asked for',
    () => assertLink(isAsked, `it is of ${name}`),
    () => name,
  )
}
