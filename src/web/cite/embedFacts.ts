import type { ProvenReading } from 'wattfeed'
import type { TrustFields } from './verifyCommand.ts'

/** What the server writes into the page of an embedded chart (its `data-facts`), and the page's scripts read. */
export interface EmbedFacts {
  /** As the embed code names it. */
  readonly trust: TrustFields
  /** The value that the page shows. */
  readonly shown: Pick<ProvenReading, 'amount' | 'period' | 'decimals'> & {
    readonly feedId: string
    /** As {@link comparedText} returns them. */
    readonly title: string
    readonly unit: string
  }
  /** The script that verifies: its path, and its size, which the reader sees before it is loaded. */
  readonly scripts: { readonly verify: string; readonly verifyBytes: number }
}

/** In UTF-16 units. */
const MAX_COMPARED = 200

/** Returns the part of a feed's title or unit that the page compares with the proof. It shows less of it. */
export const comparedText = (text: string): string => text.slice(0, MAX_COMPARED)
