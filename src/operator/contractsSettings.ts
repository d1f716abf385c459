import { Type } from '@sinclair/typebox'
import { attesterSettings, senderSettings } from '../agent/settings/attesterSettings.ts'
import type { ContractName } from '../registry/installation.ts'
import { callOptions } from '../runtime/chainSettings.ts'
import { type Environment, parseSettings, type Settings, withOptions } from '../runtime/settings.ts'
import { packageHash } from '../runtime/textTypes.ts'
import { wirePaymentMotes } from './contracts/payments.ts'

const { CASPER_RPC_URL, CASPER_CHAIN_NAME, ATTESTER_KEY_PATH } = senderSettings
const {
  RPC_TIMEOUT_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  PAYMENT_MOTES,
  ATTESTER_ACCOUNT,
  TRANSACTION_TTL_MS,
  GAS_PRICE_TOLERANCE,
  AGENT_STATE_DIR,
} = attesterSettings

export const packageHashSetting = {
  FeedRegistry: 'FEED_REGISTRY_PACKAGE_HASH',
  AttestationRegistry: 'ATTESTATION_REGISTRY_PACKAGE_HASH',
  EligibilityGate: 'ELIGIBILITY_GATE_PACKAGE_HASH',
} as const satisfies Record<ContractName, string>

const packageHashOf = (contract: ContractName) =>
  Type.Optional(
    packageHash({
      description: `package of the ${contract}; ignored by install`,
      defaultText: "the deployment file's",
    }),
  )

export const contractsSettings = Type.Object({
  CASPER_RPC_URL,
  CASPER_CHAIN_NAME,
  ATTESTER_KEY_PATH: withOptions(ATTESTER_KEY_PATH, {
    description: 'PEM file with the secret key of the account that owns the contracts and pays',
  }),
  FEED_REGISTRY_PACKAGE_HASH: packageHashOf('FeedRegistry'),
  ATTESTATION_REGISTRY_PACKAGE_HASH: packageHashOf('AttestationRegistry'),
  ELIGIBILITY_GATE_PACKAGE_HASH: packageHashOf('EligibilityGate'),
  RPC_TIMEOUT_MS: withOptions(RPC_TIMEOUT_MS, {
    description: 'timeout of one attempt to call a node; an installation is large',
    default: 30_000,
  }),
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  PAYMENT_MOTES: withOptions(PAYMENT_MOTES, {
    description: 'payment for one call; for installations use --payment',
    defaultText: String(wirePaymentMotes),
  }),
  ATTESTER_ACCOUNT,
  TRANSACTION_TTL_MS,
  GAS_PRICE_TOLERANCE,
  AGENT_STATE_DIR: withOptions(AGENT_STATE_DIR, {
    description: 'folder of the deployment file and of pending transactions',
  }),
})

/** The checked settings of those commands. The key's path is null if it is neither set nor needed. */
export type ContractsSettings = ReturnType<typeof readContractsSettings>

/**
 * Reads the settings. Commands that write have no default for node, chain and key.
 *
 * @param shown the settings in the command's help; the others keep their defaults.
 * @throws {SettingsError} with every fault.
 */
export function readContractsSettings(
  environment: Environment,
  writes: boolean,
  shown: Settings = contractsSettings,
) {
  const settings = parseSettings(contractsSettings, environment, {
    needed: writes ? ['CASPER_RPC_URL', 'CASPER_CHAIN_NAME', 'ATTESTER_KEY_PATH'] : [],
    shown,
  })
  return {
    rpcUrls: settings.CASPER_RPC_URL,
    chainName: settings.CASPER_CHAIN_NAME,
    keyPath: settings.ATTESTER_KEY_PATH,
    /** 64 hex digits each; null if not set. */
    packageHashes: {
      FeedRegistry: settings.FEED_REGISTRY_PACKAGE_HASH,
      AttestationRegistry: settings.ATTESTATION_REGISTRY_PACKAGE_HASH,
      EligibilityGate: settings.ELIGIBILITY_GATE_PACKAGE_HASH,
    },
    ...callOptions(settings),
    callPaymentMotes: settings.PAYMENT_MOTES,
    account: settings.ATTESTER_ACCOUNT,
    transactionTtlMs: settings.TRANSACTION_TTL_MS,
    gasPriceTolerance: settings.GAS_PRICE_TOLERANCE,
    stateDir: settings.AGENT_STATE_DIR,
  }
}
