import { Type } from '@sinclair/typebox'
import { formatAccountHash } from '../../casper/types/account.ts'
import { accountHashOfHex } from '../../casper/types/accountHash.ts'
import { formatSettings } from '../../runtime/formatSettings.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import { withOptions } from '../../runtime/settings.ts'
import { type ContractsSettings, contractsSettings, readContractsSettings } from '../contractsSettings.ts'
import { loadPayingSigner } from '../pay/openPayer.ts'
import type { ProgramContext } from '../program.ts'
import { CommitteeError } from './committeeError.ts'

const {
  CASPER_RPC_URL,
  CASPER_CHAIN_NAME,
  ATTESTER_KEY_PATH,
  ATTESTER_ACCOUNT,
  PAYMENT_MOTES,
  RPC_TIMEOUT_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  TRANSACTION_TTL_MS,
  GAS_PRICE_TOLERANCE,
  AGENT_STATE_DIR,
} = contractsSettings.properties

const committeeSettings = Type.Object({
  CASPER_RPC_URL,
  CASPER_CHAIN_NAME,
  ATTESTER_ACCOUNT: withOptions(ATTESTER_ACCOUNT, {
    description: 'the account whose keys are shown or changed: account-hash-… or a public key',
  }),
  ATTESTER_KEY_PATH: withOptions(ATTESTER_KEY_PATH, {
    description:
      'secret key in PEM that signs changes; status and plan need it only without ATTESTER_ACCOUNT',
  }),
  PAYMENT_MOTES: withOptions(PAYMENT_MOTES, {
    description: 'what a change pays',
    defaultText: 'what it needs',
  }),
  TRANSACTION_TTL_MS: withOptions(TRANSACTION_TTL_MS, {
    description:
      'how long a change can be executed, and the least time between two steps; set it to the longest of all members',
  }),
  GAS_PRICE_TOLERANCE,
  RPC_TIMEOUT_MS: withOptions(RPC_TIMEOUT_MS, { description: 'for one attempt to call a node' }),
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  AGENT_STATE_DIR: withOptions(AGENT_STATE_DIR, { description: 'folder for pending transactions' }),
})

export const help = `
A committee is an account with several keys. The members file lists the keys that it shall have:
  { "thresholds": { "deployment": 4, "keyManagement": 4 },
    "members": [ { "publicKey": "01…", "weight": 1, "name": "north" }, … ] }

Settings, from the environment:
${formatSettings(committeeSettings)}

Exit codes:
  0  done, or there was nothing to do (with --dry-run: it can be done)
  1  nothing was sent: a setting, a file, the node, the balance or a check failed
  2  something was sent: a transaction was rejected, failed, expired, or is still pending;
     run the same command again to resume. "status" with a members file: the account differs from it,
     or agents differ or do not answer`

export function readCommitteeSettings(
  { environment, terminal }: ProgramContext,
  { writes }: { writes: boolean },
): ContractsSettings {
  const settings = readContractsSettings(environment, writes, committeeSettings)
  for (const message of similarNames(environment, committeeSettings)) terminal.warn(message)
  return settings
}

/** A member signs proposals of two minutes; an agent alone signs as long as its setting says. */
const MEMBER_LIFETIME_MS = 2 * 60_000

/** Returns how long a transaction that was signed before a change may still be executed. */
export const lifetimeOf = ({ transactionTtlMs }: Pick<ContractsSettings, 'transactionTtlMs'>): number =>
  Math.max(MEMBER_LIFETIME_MS, transactionTtlMs)

export async function findAccountHash(
  { account, keyPath }: ContractsSettings,
  { terminal }: ProgramContext,
): Promise<string> {
  if (account?.startsWith('account-hash-')) return account
  if (account !== null) return formatAccountHash(accountHashOfHex(account))
  if (keyPath === null)
    throw new CommitteeError({
      reason: 'no_account',
      message: 'no account is given: set ATTESTER_ACCOUNT, or ATTESTER_KEY_PATH',
    })
  const { accountHash } = await loadPayingSigner({ keyPath, account }, terminal)
  return accountHash
}
