import { attesterSettings } from '../agent/settings/attesterSettings.ts'
import { packageHash } from '../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../runtime/settings.ts'
import type { ContractName } from './contracts/contractName.ts'
import { wirePaymentMotes } from './contracts/payments.ts'

/** What `bun run contracts` is told by its environment, checked. */
export interface ContractsSettings {
  rpcUrls: readonly string[]
  chainName: string
  /** For one attempt to call a node, in milliseconds. */
  timeoutMs: number
  /** The most that a node is left alone for where it asks for it, in milliseconds. */
  retryAfterMaxMs: number
  concurrency: number
  /** Package hashes that were given, 64 hex digits. */
  packageHashes: Readonly<Record<ContractName, string | null>>
  /** Path of the key file; empty where nothing is written. */
  keyPath: string
  /** Where the deployment file stands, unless another one is named. */
  stateDir: string
  /** What a call pays, where it was given. */
  callPaymentMotes: bigint | null
}

const { rpcUrls, chainName, keyPath, paymentMotes, stateDir, timeoutMs, retryAfterMaxMs, concurrency } =
  attesterSettings

/** The setting that holds a contract's package hash. */
export const packageHashSetting = {
  FeedRegistry: attesterSettings.feedRegistryPackageHash.name,
  AttestationRegistry: attesterSettings.attestationRegistryPackageHash.name,
  EligibilityGate: 'ELIGIBILITY_GATE_PACKAGE_HASH',
} as const satisfies Record<ContractName, string>

const packageHashOf = (contract: ContractName) => ({
  name: packageHashSetting[contract],
  meaning: `package of the ${contract}; install looks at none`,
  parse: packageHash,
  default: null,
  defaultText: "the deployment file's",
})

const packageHashSettings = {
  FeedRegistry: packageHashOf('FeedRegistry'),
  AttestationRegistry: packageHashOf('AttestationRegistry'),
  EligibilityGate: packageHashOf('EligibilityGate'),
}

/** The settings of the commands that install, upgrade, wire and inspect contracts. */
export const contractsSettings = {
  rpcUrls,
  chainName,
  keyPath: {
    ...keyPath,
    meaning: 'secret key in PEM of the account that owns the contracts and pays',
    default: '',
  },
  ...packageHashSettings,
  paymentMotes: {
    ...paymentMotes,
    meaning: 'what one call pays; installations: --payment',
    defaultText: String(wirePaymentMotes),
  },
  stateDir: { ...stateDir, meaning: 'folder of the deployment file' },
  timeoutMs: {
    ...timeoutMs,
    meaning: 'for one attempt to call a node: an installation is large',
    default: 30_000,
  },
  retryAfterMaxMs,
  concurrency,
} as const

/**
 * Reads the settings. What writes has no default for node, chain and key: whoever pays says where.
 *
 * Throws a `SettingsError` that names every fault.
 */
export function readContractsSettings(environment: Environment, writes: boolean): ContractsSettings {
  const reader = createSettingsReader(environment, contractsSettings)
  const settings: ContractsSettings = {
    packageHashes: reader.readAll(packageHashSettings),
    rpcUrls: reader.read(contractsSettings.rpcUrls, writes),
    chainName: reader.read(contractsSettings.chainName, writes),
    timeoutMs: reader.read(contractsSettings.timeoutMs),
    retryAfterMaxMs: reader.read(contractsSettings.retryAfterMaxMs),
    concurrency: reader.read(contractsSettings.concurrency),
    keyPath: reader.read(contractsSettings.keyPath, writes),
    stateDir: reader.read(contractsSettings.stateDir),
    callPaymentMotes: reader.read(contractsSettings.paymentMotes),
  }
  reader.end()
  return settings
}
