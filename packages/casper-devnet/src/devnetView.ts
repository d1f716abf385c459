import type { Arguments } from '@wattfeed/casper/types'

/** An entry point to execute with {@link Devnet.view}. */
export interface DevnetView {
  /** Hash of the contract's package: `hash-…`. */
  readonly packageHash: string
  readonly entryPoint: string
  /**
   * Arguments by name, made by the functions of {@link cl}.
   * @default none
   */
  readonly args?: Arguments
  /**
   * Account hash of the caller.
   * @default that of the faucet
   */
  readonly caller?: string
}
