import { defaultTerms } from '../../casper/transaction/createTransaction.ts'
import { MAX_TIMER_MS } from '../../client/argument.ts'
import { callSettings, chainSettings } from '../../runtime/chainSettings.ts'
import { account, integer, motes, path } from '../../runtime/parsers.ts'
import type { Setting } from '../../runtime/settings.ts'
import { ATTEST_MANY_PAYMENT_MOTES, ATTEST_PAYMENT_MOTES } from '../plan/attestCall.ts'

/** Marks a setting as required for sending: the default network must never be written to by accident. */
const neededToSend = <const S extends Setting<unknown, unknown>>(setting: S) => ({
  ...setting,
  needed: { when: 'to send', why: 'what writes to a chain has no default for it' },
})

/** The deadline of a call with all its attempts, in timeouts of one attempt. */
export const DEADLINE_TIMEOUTS = 3

/** Which account writes to which chain: required for sending. */
export const senderSettings = {
  keyPath: neededToSend({
    name: 'ATTESTER_KEY_PATH',
    meaning: 'secret key in PEM, Ed25519 or secp256k1, of the account that attests and pays',
    parse: path,
    default: null,
  }),
  rpcUrls: neededToSend(chainSettings.rpcUrls),
  chainName: neededToSend(chainSettings.chainName),
  feedRegistryPackageHash: neededToSend(chainSettings.feedRegistryPackageHash),
  attestationRegistryPackageHash: neededToSend(chainSettings.attestationRegistryPackageHash),
} as const

// The chainspec's `max_ttl`.
const MAX_TTL_MS = 2 * 60 * 60_000

/** What all transactions of a program have in common. */
const transactionSettings = {
  transactionTtlMs: {
    name: 'TRANSACTION_TTL_MS',
    meaning: 'how long a transaction can be executed; its feeds wait for no longer than that',
    parse: integer(60_000, MAX_TTL_MS),
    default: defaultTerms.transactionTtlMs,
  },
  gasPriceTolerance: {
    name: 'GAS_PRICE_TOLERANCE',
    meaning: 'the highest gas price to send at; what is paid is multiplied by the price',
    parse: integer(1, 255),
    default: defaultTerms.gasPriceTolerance,
  },
} as const

/** The other settings of programs that write to a chain. */
export const attesterSettings = {
  stateDir: {
    name: 'AGENT_STATE_DIR',
    meaning: 'folder for what is pending, and for the lock; one agent each',
    parse: path,
    default: '.wattfeed',
  },
  paymentMotes: {
    name: 'PAYMENT_MOTES',
    meaning: 'what one transaction pays',
    parse: motes,
    default: null,
    defaultText: `${ATTEST_PAYMENT_MOTES}, a batch ${ATTEST_MANY_PAYMENT_MOTES}`,
  },
  account: {
    name: 'ATTESTER_ACCOUNT',
    meaning: 'the account to send for, if the key is not its own but associated with it',
    parse: account,
    default: null,
    defaultText: "the key's own",
  },
  ...transactionSettings,
  ...callSettings,
  timeoutMs: {
    ...callSettings.timeoutMs,
    parse: integer(1, Math.floor(MAX_TIMER_MS / DEADLINE_TIMEOUTS)),
  },
} as const
