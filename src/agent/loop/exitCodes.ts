import type { FeedOutcome } from '../feedOutcome.ts'

/** What the agent tells scripts: every feed was decided; nothing could run; some feeds failed. */
export const exitCodes = { decided: 0, notRun: 1, someFailed: 2 } as const

/** The exit code of an agent that tried these feeds. */
export const exitCodeOf = (outcomes: readonly FeedOutcome[]): number =>
  outcomes.some(({ error }) => error !== null) ? exitCodes.someFailed : exitCodes.decided
