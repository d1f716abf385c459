import type { ProvenReading } from '../../client/index.ts'
import type { TrustFields } from '../proof/trust.ts'

/** What the server writes into the page of an embedded chart. */
export interface EmbedFacts {
  /** As the embed code names it. */
  readonly trust: TrustFields
  /** The value that the page shows, with at most 200 UTF-16 units of the title and the unit. */
  readonly shown: Pick<ProvenReading, 'amount' | 'period' | 'title' | 'unit' | 'decimals'> & {
    readonly feedId: string
  }
  readonly scripts: { readonly verify: string; readonly verifyBytes: number }
}
