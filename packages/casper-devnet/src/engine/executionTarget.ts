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
  | ({ readonly packageName: string } & CalledVersion)

/** A contract by its hash, or by package and version. */
export type ContractIdentifier =
  | { readonly contractHash: Uint8Array }
  | ({ readonly packageHash: Uint8Array } & CalledVersion)

/** A version of a package. */
export interface CalledVersion {
  /** Null means the newest. */
  readonly version: number | null
  /** The major protocol version at the time that it was added. @default any */
  readonly protocolVersionMajor?: number | undefined
}
