import type { AbsenceWay } from '@wattfeed/casper'

/** How the absence of values is shown at `verify: 'proofs'` and `'full'`. */
export interface Absences {
  /** Whether an absence that is not proven is an error. */
  readonly isProofRequired: boolean
  /** Records how the absence of a value was shown. */
  record(way: AbsenceWay): void
  /** Returns how the latest absence was shown; null before the first. */
  latest(): AbsenceWay | null
}

/** Creates the record of a client. */
export function createAbsences(
  isProofRequired: boolean,
  observe: ((event: AbsenceEvent) => void) | undefined,
): Absences {
  let latest: AbsenceWay | null = null
  return {
    isProofRequired,
    record(shownBy) {
      latest = shownBy
      observe?.({ shownBy })
    },
    latest: () => latest,
  }
}

/** The absence of a value was shown. */
export interface AbsenceEvent {
  /** How it was shown. */
  readonly shownBy: AbsenceWay
}

/** What was absent is read again after this time, because the node may have been wrong. */
export const ASK_AGAIN_AFTER_MS = 10_000
