import { attesterSettings, senderSettings } from '../agent/settings/attesterSettings.ts'
import type { ContractName } from '../registry/installation.ts'
import { chainSettings } from '../runtime/chainSettings.ts'
import { createSettingsReader, type Environment, type Settings, type Values } from '../runtime/settings.ts'
import { wirePaymentMotes } from './contracts/payments.ts'

const { rpcUrls, chainName, keyPath } = senderSettings
const {
  account,
  paymentMotes,
  stateDir,
  timeoutMs,
  retryAfterMaxMs,
  concurrency,
  transactionTtlMs,
  gasPriceTolerance,
} = attesterSettings

/** The names of the settings with the contracts' package hashes. */
export const packageHashSetting = {
  FeedRegistry: chainSettings.feedRegistryPackageHash.name,
  AttestationRegistry: chainSettings.attestationRegistryPackageHash.name,
  EligibilityGate: 'ELIGIBILITY_GATE_PACKAGE_HASH',
} as const satisfies Record<ContractName, string>

const known = { default: null, defaultText: "the deployment file's" } as const

const packageHashSettings = {
  FeedRegistry: {
    ...chainSettings.feedRegistryPackageHash,
    ...known,
    meaning: 'package of the FeedRegistry; ignored by install',
  },
  AttestationRegistry: {
    ...chainSettings.attestationRegistryPackageHash,
    ...known,
    meaning: 'package of the AttestationRegistry; ignored by install',
  },
  EligibilityGate: {
    ...chainSettings.feedRegistryPackageHash,
    ...known,
    name: packageHashSetting.EligibilityGate,
    meaning: 'package of the EligibilityGate; ignored by install',
  },
} as const

const payerSettings = {
  rpcUrls,
  chainName,
  keyPath: {
    ...keyPath,
    meaning: 'secret key in PEM of the account that owns the contracts and pays',
  },
} as const

const otherSettings = {
  timeoutMs: {
    ...timeoutMs,
    meaning: 'for one attempt to call a node: an installation is large',
    default: 30_000,
  },
  retryAfterMaxMs,
  concurrency,
  callPaymentMotes: {
    ...paymentMotes,
    meaning: 'what one call pays; installations: --payment',
    defaultText: String(wirePaymentMotes),
  },
  account,
  transactionTtlMs,
  gasPriceTolerance,
  stateDir: { ...stateDir, meaning: 'folder of the deployment file and of pending transactions' },
} as const

/** The settings of the commands that install, upgrade, wire and inspect contracts. */
export const contractsSettings = { ...payerSettings, ...packageHashSettings, ...otherSettings } as const

/** The checked settings of those commands. The key's path is null if it is neither set nor needed. */
export interface ContractsSettings extends Values<typeof payerSettings>, Values<typeof otherSettings> {
  /** 64 hex digits each; null if not set. */
  packageHashes: Readonly<Record<ContractName, string | null>>
}

/**
 * Reads the settings. Commands that write have no default for node, chain and key.
 *
 * @param shown those that the command's help shows; the others keep their defaults.
 * @throws {SettingsError} with every fault.
 */
export function readContractsSettings(
  environment: Environment,
  writes: boolean,
  shown: Settings = contractsSettings,
): ContractsSettings {
  const reader = createSettingsReader(environment, shown)
  const settings = {
    packageHashes: reader.readAll(packageHashSettings),
    ...reader.readAll(payerSettings, writes),
    ...reader.readAll(otherSettings),
  }
  reader.end()
  return settings
}
