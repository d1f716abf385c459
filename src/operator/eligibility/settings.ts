import { Type } from '@sinclair/typebox'
import { formatSettings } from '../../runtime/formatSettings.ts'
import { withOptions } from '../../runtime/settings.ts'
import { contractsSettings } from '../contractsSettings.ts'
import { proverSettings } from './packages.ts'
import { CLAIM_PAYMENT_MOTES } from './submitClaim.ts'

const {
  CASPER_RPC_URL,
  CASPER_CHAIN_NAME,
  ATTESTER_KEY_PATH,
  PAYMENT_MOTES,
  RPC_TIMEOUT_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  ATTESTER_ACCOUNT,
  TRANSACTION_TTL_MS,
  GAS_PRICE_TOLERANCE,
  AGENT_STATE_DIR,
} = contractsSettings.properties

/** The settings of the commands that call the gate. Even a dry run calls a node: neither node nor chain has a default. */
export const claimSettings = Type.Object({
  CASPER_RPC_URL: withOptions(CASPER_RPC_URL, { defaultText: '' }),
  CASPER_CHAIN_NAME: withOptions(CASPER_CHAIN_NAME, { defaultText: '' }),
  ATTESTER_KEY_PATH: withOptions(ATTESTER_KEY_PATH, {
    description: 'PEM file with the secret key of the account that the proof is for; it pays',
  }),
  PAYMENT_MOTES: withOptions(PAYMENT_MOTES, {
    description: 'payment for the claim, which consumes about 29.9 CSPR',
    defaultText: String(CLAIM_PAYMENT_MOTES),
  }),
  RPC_TIMEOUT_MS: withOptions(RPC_TIMEOUT_MS, { description: 'timeout of one attempt to call a node' }),
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  ATTESTER_ACCOUNT,
  TRANSACTION_TTL_MS,
  GAS_PRICE_TOLERANCE,
  AGENT_STATE_DIR: withOptions(AGENT_STATE_DIR, {
    description: 'folder for pending transactions',
  }),
})

export const help = `
How an account becomes eligible to register feeds:
  1. a member creates an identity and gives its public key to the gate's owner
  2. the owner adds it to the group file, publishes the file, and sets its root at the gate
  3. the member creates a proof for an account, which the owner need not know, and passes the proof file on
  4. that account claims

Setting, from the environment, of the commands that create an identity, a group's root or a proof:
${formatSettings(proverSettings)}

Exit codes:
  0  done, or there was nothing to do (with --dry-run: it can be done)
  1  nothing was sent: an argument, a file or a setting is wrong, or a check failed
  2  a transaction was rejected, failed or is still pending; run the command again to resume`
