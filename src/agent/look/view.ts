import type { Reads } from '../../library/client/reads.ts'
import type { ViewedBlock } from '../plan/plan.ts'
import type { SettledBlock } from '../state/settledBlocks.ts'

/** The chain as of one block. */
export interface View {
  readonly block: ViewedBlock
  readonly at: Reads
  /** The block that settled each feed's last transaction, as known before the view's block was read. */
  readonly settled: ReadonlyMap<string, SettledBlock>
}
