import type { Rpc } from '@wattfeed/casper'
import { type BlockPlace, readBlockPlace } from '@wattfeed/casper/light-client'
import { getAccountAt, readNetworkTerms } from '@wattfeed/casper/transaction'
import { findDisjoint, type ParsedAccount } from '@wattfeed/casper/types'
import {
  type Committee,
  committeeOfAccount,
  MAX_TOTAL_WEIGHT,
  quorumsOf,
  weightOfAll,
} from '../../committee/committee.ts'
import { CommitteeError } from './committeeError.ts'
import { listEarlierCommittees } from './earlierCommittees.ts'
import { planRotation } from './rotation.ts'

export interface ChangePlan {
  /** 64 hex digits: where the account was read. */
  stateRootHash: string
  account: ParsedAccount
  before: Committee
  /** The keys that the members file asks for. */
  target: Committee
  /** The keys after each step; none if the account has the target's keys. */
  steps: readonly Committee[]
  /** When the first step may be executed, in epoch milliseconds; null if now. */
  notBefore: number | null
}

export interface PlanRequest {
  rpc: Rpc
  /** `account-hash-…` */
  accountHash: string
  target: Committee
  /** Recovery keys that the account has and the target has not. */
  removedRecovery: readonly string[]
  /** How long a transaction of a member can be executed, in milliseconds: the least time between two changes. */
  lifetimeMs: number
  /** This machine's clock, in epoch milliseconds. @default Date.now */
  now?: () => number
}

/**
 * Plans how an account gets the keys of a members file. Each quorum shares a key with each earlier quorum whose transactions can
 * still be executed, so that values are attested once.
 */
export async function planChange(request: PlanRequest): Promise<ChangePlan> {
  const { rpc, accountHash, target } = request
  const newest = await readBlockPlace(rpc, null)
  const account = await readCommitteeAccount(rpc, accountHash, newest.stateRootHash)
  const before = committeeOf(account, request)
  if (weightOfAll(before) > MAX_TOTAL_WEIGHT)
    throw new CommitteeError({
      reason: 'too_heavy',
      message: `the keys of ${accountHash} weigh ${weightOfAll(before)} together, and this command can change accounts of at most ${MAX_TOTAL_WEIGHT}; lower their weights with another tool first`,
    })
  const steps = planRotation(before, target)
  if (steps === null)
    throw new CommitteeError({
      reason: 'no_steps',
      message: `no steps lead from the keys of ${accountHash} to the members file: the weights of a step would add up to more than ${MAX_TOTAL_WEIGHT}, or its keys would not fit in a transaction, which takes about 26 before and after together; use smaller weights or fewer keys`,
    })
  const notBefore = await findNotBefore(request, newest, steps)
  return { stateRootHash: newest.stateRootHash, account, before, target, steps, notBefore }
}

export const readCommittee = async (request: PlanRequest, stateRootHash: string): Promise<Committee> =>
  committeeOf(await readCommitteeAccount(request.rpc, request.accountHash, stateRootHash), request)

const committeeOf = (account: ParsedAccount, { target, removedRecovery }: PlanRequest): Committee =>
  committeeOfAccount(account, [...target.recovery, ...removedRecovery])

/** @throws {CommitteeError} if the chain does not know the account. */
export async function readCommitteeAccount(
  rpc: Rpc,
  accountHash: string,
  stateRootHash: string,
): Promise<ParsedAccount> {
  const account = await getAccountAt(rpc, accountHash, stateRootHash)
  if (account !== null) return account
  throw new CommitteeError({
    reason: 'no_account',
    message: `the chain does not know ${accountHash}; send it CSPR first`,
  })
}

/** Finds when the next step may be executed: a quorum from before a recent change may have signed a transaction that still can. */
async function findNotBefore(
  { rpc, accountHash, target, removedRecovery, lifetimeMs, now = Date.now }: PlanRequest,
  newest: BlockPlace,
  [next]: readonly Committee[],
): Promise<number | null> {
  if (next === undefined) return null
  const { timestamp } = await readNetworkTerms(rpc, lifetimeMs, now)
  const time = timestamp - lifetimeMs
  const earlier = await listEarlierCommittees(rpc, accountHash, { newest, time })
  const recovery = new Set([...target.recovery, ...removedRecovery])
  const conflicting = earlier.filter(
    ({ committee }) => findDisjoint(quorumsOf({ ...committee, recovery }), quorumsOf(next)) !== null,
  )
  const last = conflicting.at(-1)
  return last === undefined ? null : last.replacedAt + lifetimeMs
}

/**
 * Asserts that the first step of a plan may be sent now.
 *
 * @param isStepwise whether the first of several steps is wanted
 * @throws {CommitteeError} if the step has to wait, or if several are needed and not wanted.
 */
export function assertDue({ before, target, steps, notBefore }: ChangePlan, isStepwise: boolean): void {
  if (!isStepwise && steps.length > 1)
    throw new CommitteeError({
      reason: 'several_steps',
      message: `${describeFault(before, target)}; "plan" shows ${steps.length} steps that avoid this, and --step makes the first of them`,
    })
  if (notBefore !== null)
    throw new CommitteeError({
      reason: 'too_early',
      message: `the keys changed less than one lifetime of a transaction ago, and members that signed before may not take part now; try again at ${new Date(notBefore).toISOString()}`,
    })
}

function describeFault(before: Committee, target: Committee): string {
  const found = findDisjoint(quorumsOf(before), quorumsOf(target))
  if (found === null) return 'the keys before and after this change do not fit in one transaction'
  const listed = (keys: readonly string[]): string => keys.map(shorten).join(', ')
  return `after this change, ${listed(found.after)} could attest again what ${listed(found.before)} attested before: they share no key`
}

/** Shortens an account hash; "plan" shows it in full. */
const shorten = (key: string): string => `${key.slice(0, 'account-hash-'.length + 8)}…`
