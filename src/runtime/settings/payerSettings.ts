import { Type } from '@sinclair/typebox'
import { defaultTerms, MAX_LIFETIME_MS } from '@wattfeed/casper/transaction'
import { MAX_TIMER_MS } from 'wattfeed/internal'
import { authorizationSetting, callSettings, chainSettings } from './chainSettings.ts'
import { DEADLINE_TIMEOUTS } from './readerSettings.ts'
import { withOptions } from './settings.ts'
import { account, motes, path } from './textTypes.ts'

/** The rule for a setting that is required for sending: nobody must write to the default network by accident. */
const neededToSend = {
  needed: { when: 'to send', why: 'it has no default for commands that write to a chain' },
}

/** The chain and the account that writes to it: required for sending. */
export const senderSettings = {
  ATTESTER_KEY_PATH: Type.Optional(
    path({
      description: 'PEM file with the secret key, Ed25519 or secp256k1, of the account that attests and pays',
      ...neededToSend,
    }),
  ),
  CASPER_RPC_URL: withOptions(chainSettings.CASPER_RPC_URL, neededToSend),
  ...authorizationSetting,
  CASPER_CHAIN_NAME: withOptions(chainSettings.CASPER_CHAIN_NAME, neededToSend),
  FEED_REGISTRY_PACKAGE_HASH: withOptions(chainSettings.FEED_REGISTRY_PACKAGE_HASH, neededToSend),
  ATTESTATION_REGISTRY_PACKAGE_HASH: withOptions(
    chainSettings.ATTESTATION_REGISTRY_PACKAGE_HASH,
    neededToSend,
  ),
}

/** The names of those settings that sending requires. */
export const senderNames = Object.entries(senderSettings)
  .filter(([, { needed }]) => needed !== undefined)
  .map(([name]) => name) as (keyof typeof senderSettings)[]

/** The other settings of programs that write to a chain, and pay for it. */
export const payerSettings = {
  AGENT_STATE_DIR: path({
    description: 'folder for pending transactions and the lock; one agent per folder',
    default: '.wattfeed',
  }),
  PAYMENT_MOTES: Type.Optional(motes({ description: 'payment of one transaction' })),
  ATTESTER_ACCOUNT: Type.Optional(
    account({
      description: 'account to send for, if the key is only associated with it',
      defaultText: 'the account of the key',
    }),
  ),
  TRANSACTION_TTL_MS: Type.Integer({
    minimum: 60_000,
    maximum: MAX_LIFETIME_MS,
    default: defaultTerms.transactionTtlMs,
    description: 'how long a transaction can be executed; its feeds wait no longer than that',
  }),
  GAS_PRICE_TOLERANCE: Type.Integer({
    minimum: 1,
    maximum: 255,
    default: defaultTerms.gasPriceTolerance,
    description: 'highest gas price to send at; the payment is multiplied by the price',
  }),
  ...callSettings,
  RPC_TIMEOUT_MS: withOptions(callSettings.RPC_TIMEOUT_MS, {
    maximum: Math.floor(MAX_TIMER_MS / DEADLINE_TIMEOUTS),
  }),
}

/** What a command does, so that it cannot do without some settings. */
export interface CommandNeeds {
  /** Sends transactions: node, chain, registries and key have no default. */
  writes: boolean
  /** Sends requests to EIA: its key has no default. */
  fetches: boolean
}

/** Returns the names of the settings that a command cannot do without. */
export const neededFor = ({ writes, fetches }: CommandNeeds) => [
  ...(fetches ? (['EIA_API_KEY'] as const) : []),
  ...(writes ? senderNames : []),
]
