/** The code that a transaction runs. */
export type ExecutionTarget =
  | {
      readonly kind: 'session'
      readonly wasm: Uint8Array
      /** Whether it may add contract versions: installs, upgrades and every legacy deploy. */
      readonly isInstallOrUpgrade: boolean
    }
  | {
      readonly kind: 'call'
      readonly contract: CalledContract
      readonly entryPoint: string
    }

/** A contract by its hash, its package's hash, or the sender's named key for either. */
export type CalledContract =
  | ContractIdentifier
  | { readonly name: string }
  | { readonly packageName: string; readonly version: number | null }

/** A contract by its hash, or by package and version; null is the newest. */
export type ContractIdentifier =
  | { readonly contractHash: Uint8Array }
  | { readonly packageHash: Uint8Array; readonly version: number | null }
