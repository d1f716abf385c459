import type { ClValue } from '../../casper/types/clValue.ts'

/** What `ret` throws through the frames of a contract, to be caught where the contract was called. */
export class ReturnSignal extends Error {
  constructor(
    /** What the contract returned; null where that did not decode. */
    readonly value: ClValue | null,
    /** The URefs in it, which the caller may use from now on. */
    readonly urefs: readonly Uint8Array[],
  ) {
    super('a contract returned')
  }
}
