import { type TSchema, Type } from '@sinclair/typebox'
import type { ContractName } from 'wattfeed/internal'
import {
  type AgentNeeds,
  type AgentSettings,
  agentSecrets,
  agentSettings,
  readAgentSettings,
} from '../agent/settings/agentSettings.ts'
import {
  authorizationConflicts,
  authorizationOption,
  authorizationSetting,
  callOptions,
  chainSettings,
} from '../runtime/settings/chainSettings.ts'
import {
  type Environment,
  parseSettings,
  type SettingOptions,
  type Settings,
  type SettingValues,
  withOptions,
} from '../runtime/settings/settings.ts'
import { chainName, httpUrls, packageHash } from '../runtime/settings/textTypes.ts'
import { verificationSettings } from '../runtime/settings/verificationSettings.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { wirePaymentMotes } from './contracts/payments.ts'
import { CLAIM_PAYMENT_MOTES } from './eligibility/submitClaim.ts'

/** Returns settings in the order of a program's help, with what it says differently of them. */
function vary<K extends string, P extends Record<K, TSchema>>(
  settings: P,
  changes: Record<K, SettingOptions>,
): Pick<P, K> {
  const names = Object.keys(changes) as K[]
  return Object.fromEntries(names.map((name) => [name, withOptions(settings[name], changes[name])])) as Pick<
    P,
    K
  >
}

const { AGENT_HOST: _host, AGENT_PORT: _port, LOG_LEVEL: _logLevel, ...agent } = agentSettings.properties

const { needed: neededForEia } = agent.EIA_API_KEY

/** For the feeds commands, which neither listen nor log. */
export const feedsSettings = Type.Object({
  ...agent,
  ...vary(agent, {
    EIA_API_KEY: {
      needed: {
        ...neededForEia,
        when: 'to attest, to list facet values, and for check --write; optional for check and new',
      },
    },
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that registers, attests and pays',
    },
    PAYMENT_MOTES: { defaultText: 'as much as needed' },
  }),
})

export const exportSettings = Type.Object({
  ...chainSettings,
  ...vary(agent, { RPC_TIMEOUT_MS: {}, RPC_RETRY_AFTER_MAX_MS: {}, RPC_CONCURRENCY: {} }),
  ...verificationSettings,
})

export const provenanceSettings = Type.Object({
  ...vary(agent, {
    EIA_API_KEY: { needed: { ...neededForEia, when: 'without --row' } },
    EIA_BASE_URL: {},
    EIA_RPS: {},
  }),
  ...exportSettings.properties,
})

/** For the commands that take and check snapshots of datasets. */
export const datasetsSettings = Type.Object({
  ...vary(agent, {
    EIA_API_KEY: { needed: { ...neededForEia, when: 'to take a snapshot' } },
    EIA_BASE_URL: {},
    EIA_RPS: {},
  }),
  ...exportSettings.properties,
})

export const packageHashSetting = {
  FeedRegistry: 'FEED_REGISTRY_PACKAGE_HASH',
  AttestationRegistry: 'ATTESTATION_REGISTRY_PACKAGE_HASH',
  EligibilityGate: 'ELIGIBILITY_GATE_PACKAGE_HASH',
} as const satisfies Record<ContractName, string>

const packageHashes = (use: string, defaultText: string) => {
  const of = (contract: ContractName) =>
    Type.Optional(packageHash({ description: `package of the ${contract}${use}`, defaultText }))
  return {
    FEED_REGISTRY_PACKAGE_HASH: of('FeedRegistry'),
    ATTESTATION_REGISTRY_PACKAGE_HASH: of('AttestationRegistry'),
    ELIGIBILITY_GATE_PACKAGE_HASH: of('EligibilityGate'),
  }
}

/** For the commands that install, upgrade, wire and inspect contracts. */
export const contractsSettings = Type.Object({
  ...vary(agent, {
    CASPER_RPC_URL: {},
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: {},
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that owns the contracts and pays',
    },
  }),
  ...packageHashes('; ignored by install', "the deployment file's"),
  ...vary(agent, {
    RPC_TIMEOUT_MS: {
      description: 'timeout of one attempt to call a node; an installation is large',
      default: 30_000,
    },
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    PAYMENT_MOTES: {
      description: 'payment for one call; for installations use --payment',
      defaultText: String(wirePaymentMotes),
    },
    ATTESTER_ACCOUNT: {},
    TRANSACTION_TTL_MS: {},
    GAS_PRICE_TOLERANCE: {},
    AGENT_STATE_DIR: { description: 'folder of the deployment file and of pending transactions' },
  }),
})

/** For the commands that call the gate. Even a dry run calls a node: neither node nor chain has a default. */
export const claimSettings = Type.Object(
  vary(contractsSettings.properties, {
    CASPER_RPC_URL: { defaultText: '' },
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: { defaultText: '' },
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that the proof is for; it pays',
    },
    PAYMENT_MOTES: {
      description: 'payment for the claim, which consumes about 29.9 CSPR',
      defaultText: String(CLAIM_PAYMENT_MOTES),
    },
    RPC_TIMEOUT_MS: { description: 'timeout of one attempt to call a node' },
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    ATTESTER_ACCOUNT: {},
    TRANSACTION_TTL_MS: {},
    GAS_PRICE_TOLERANCE: {},
    AGENT_STATE_DIR: { description: 'folder for pending transactions' },
  }),
)

/** For the commands that show and change an account's keys. */
export const committeeSettings = Type.Object(
  vary(contractsSettings.properties, {
    CASPER_RPC_URL: {},
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: {},
    ATTESTER_ACCOUNT: {
      description: 'the account whose keys are shown or changed: account-hash-… or a public key',
    },
    ATTESTER_KEY_PATH: {
      description:
        'secret key in PEM that signs changes; status and plan need it only without ATTESTER_ACCOUNT',
    },
    PAYMENT_MOTES: { description: 'what a change pays', defaultText: 'what it needs' },
    TRANSACTION_TTL_MS: {
      description:
        'how long a change can be executed, and the least time between two steps; set it to the longest of all members',
    },
    GAS_PRICE_TOLERANCE: {},
    RPC_TIMEOUT_MS: { description: 'for one attempt to call a node' },
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    AGENT_STATE_DIR: { description: 'folder for pending transactions' },
  }),
)

const why = 'what signs or sends has no default for it'

/** For the commands for transactions in files. */
export const transactionSettings = Type.Object({
  CASPER_RPC_URL: Type.Optional(
    httpUrls({
      description: 'JSON-RPC of one node or several; show and sign also work without',
      needed: { when: 'to send', why },
    }),
  ),
  ...authorizationSetting,
  CASPER_CHAIN_NAME: Type.Optional(
    chainName({
      description: 'name of the chain; transactions of other chains are refused',
      needed: { when: 'to sign and to send', why },
    }),
  ),
  ...vary(contractsSettings.properties, {
    ATTESTER_KEY_PATH: {
      description: 'secret key in PEM that signs',
      needed: { when: 'to sign', why },
    },
  }),
  ...packageHashes(', to name its calls', "the test network's for its transactions, else none"),
  ...vary(contractsSettings.properties, {
    RPC_TIMEOUT_MS: {},
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    AGENT_STATE_DIR: { description: 'folder of pending transactions, to send' },
  }),
})

/** The key's path is null if it is neither set nor needed. */
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
    conflicts: authorizationConflicts,
  })
  return {
    rpcUrls: settings.CASPER_RPC_URL,
    ...authorizationOption(settings.CASPER_RPC_AUTHORIZATION),
    chainName: settings.CASPER_CHAIN_NAME,
    keyPath: settings.ATTESTER_KEY_PATH,
    packageHashes: packageHashesOf(settings),
    ...callOptions(settings),
    callPaymentMotes: settings.PAYMENT_MOTES,
    account: settings.ATTESTER_ACCOUNT,
    transactionTtlMs: settings.TRANSACTION_TTL_MS,
    gasPriceTolerance: settings.GAS_PRICE_TOLERANCE,
    stateDir: settings.AGENT_STATE_DIR,
  }
}

/**
 * Reads the settings of a program that reads the registries or attests, and hides their secrets.
 *
 * @param shown the settings in the help
 */
export function readRegistrySettings(
  program: { environment: Environment; terminal: Pick<Terminal, 'hide'> },
  needs: AgentNeeds,
  shown: Settings,
): AgentSettings {
  const settings = readAgentSettings(program.environment, needs, shown)
  program.terminal.hide(agentSecrets(settings))
  return settings
}

export type TransactionSettings = ReturnType<typeof readTransactionSettings>

/** @throws {SettingsError} with every fault. */
export function readTransactionSettings(
  environment: Environment,
  needed: readonly (keyof (typeof transactionSettings)['properties'])[] = [],
) {
  const settings = parseSettings(transactionSettings, environment, {
    needed,
    conflicts: authorizationConflicts,
  })
  return {
    rpcUrls: settings.CASPER_RPC_URL,
    ...authorizationOption(settings.CASPER_RPC_AUTHORIZATION),
    chainName: settings.CASPER_CHAIN_NAME,
    keyPath: settings.ATTESTER_KEY_PATH,
    packageHashes: packageHashesOf(settings),
    ...callOptions(settings),
    stateDir: settings.AGENT_STATE_DIR,
  }
}

/** 64 hex digits each; null if not set. */
const packageHashesOf = (settings: SettingValues<ReturnType<typeof packageHashes>>) => ({
  FeedRegistry: settings.FEED_REGISTRY_PACKAGE_HASH,
  AttestationRegistry: settings.ATTESTATION_REGISTRY_PACKAGE_HASH,
  EligibilityGate: settings.ELIGIBILITY_GATE_PACKAGE_HASH,
})
