/** The code that a transaction runs. */
export type ExecutionTarget =
  | {
      readonly kind: 'session'
      readonly wasm: Uint8Array
      /** Whether the code can add contract versions: true for installs, upgrades and all legacy deploys. */
      readonly isInstallOrUpgrade: boolean
    }
  | {
      readonly kind: 'call'
      readonly contract: CalledContract
      readonly entryPoint: string
    }

/** A contract by its hash, by its package's hash, or by the sender's named key of either hash. */
export type CalledContract =
  | ContractIdentifier
  | { readonly name: string }
  | { readonly packageName: string; readonly version: number | null }

/** A contract by its hash, or by package and version; null means the newest. */
export type ContractIdentifier =
  | { readonly contractHash: Uint8Array }
  | { readonly packageHash: Uint8Array; readonly version: number | null }
