import type { Rpc } from '@wattfeed/casper'
import { getAccount, getBalance, type Signer } from '@wattfeed/casper/transaction'
import { LOW_BALANCE_DAYS } from '../../agent/monitor/health.ts'
import { ATTEST_MANY_PAYMENT_MOTES, ATTEST_PAYMENT_MOTES } from '../../agent/plan/attestCall.ts'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import { committeeOfAccount, signsAlone } from '../../committee/committee.ts'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { typedProgram } from '../../runtime/isFromSource.ts'
import { formatCspr } from '../amounts.ts'
import { estimateCosts } from '../feeds/costs.ts'
import { type Finding, failed, passed, warned } from './finding.ts'

/** Checks that the key may sign for its account: alone, or with the committee of the settings. */
export async function checkRights(
  rpc: Rpc,
  { initiator, accountHash, keyHash }: Signer,
  { committeePeers }: AgentSettings,
): Promise<Finding> {
  const check = 'rights'
  const account = await getAccount(rpc, initiator)
  if (account === null)
    return accountHash === keyHash
      ? passed(check, 'the key is the only one of its account, which is not on the chain yet')
      : failed(check, `the chain does not know ${accountHash}`, 'correct ATTESTER_ACCOUNT')
  const committee = committeeOfAccount(account)
  if (signsAlone(committee, keyHash)) return passed(check, 'the key signs alone')
  const weight = committee.weights.get(keyHash) ?? 0
  const found = `the key ${keyHash} has weight ${weight} of ${committee.deployment} for ${accountHash}`
  if (weight === 0) return failed(check, found, 'add it with "committee apply", or use another key')
  return committeePeers === null
    ? failed(check, found, 'set COMMITTEE_PEERS to the members file, so that the others sign, too')
    : passed(check, `${found}; the committee of COMMITTEE_PEERS signs with it`)
}

/**
 * Checks that the account can pay for the configured feeds.
 *
 * @param aheadMotes what it pays before it can attest to all of them
 */
export async function checkBalance(
  rpc: Rpc,
  { initiator, accountHash }: Signer,
  { paymentMotes, gasPriceTolerance }: AgentSettings,
  { feeds, aheadMotes }: { feeds: readonly FeedConfig[]; aheadMotes: bigint },
): Promise<Finding> {
  const check = 'balance'
  const balanceMotes = await getBalance(rpc, initiator)
  if (balanceMotes === null)
    return failed(check, `the chain does not know ${accountHash}`, 'send CSPR to it, or correct the key')
  const price = BigInt(gasPriceTolerance)
  const attestMotes = (paymentMotes ?? ATTEST_PAYMENT_MOTES) * price
  const leastMotes = aheadMotes * price + attestMotes
  const balance = formatCspr(balanceMotes)
  if (balanceMotes < leastMotes)
    return failed(
      check,
      `${accountHash} has ${balance}, but ${aheadMotes === 0n ? 'an attestation pays' : 'eligibility, registrations and an attestation pay'} ${formatCspr(leastMotes)}`,
      `send at least ${formatCspr(leastMotes - balanceMotes)} to it`,
    )
  const dayMotes = BigInt(estimateCosts(feeds, paymentMotes).day.batched_motes)
  const days = dayMotes === 0n ? null : balanceMotes / dayMotes
  if (days !== null && days < BigInt(LOW_BALANCE_DAYS))
    return warned(
      check,
      `${balance} is enough for ${formatDays(days)} of the feeds file`,
      `send more CSPR to the account; "${typedProgram} feeds costs" has the estimate`,
    )
  const manyMotes = (paymentMotes ?? ATTEST_MANY_PAYMENT_MOTES) * price
  return balanceMotes < manyMotes
    ? warned(check, `${balance} does not pay for a transaction of several values`, 'send more CSPR to it')
    : passed(check, days === null ? balance : `${balance}, enough for ${formatDays(days)} of the feeds file`)
}

const formatDays = (days: bigint): string => (days < 730n ? `${days} days` : `${days / 365n} years`)
