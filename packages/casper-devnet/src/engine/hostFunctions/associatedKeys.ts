import { type Account, accountKey, addressOf, keyTags } from '@wattfeed/casper/types'
import type { Runtime } from '../callContext.ts'
import { ExecutionError, interpreterError, invalidContextError, keyNotFoundError } from '../executionError.ts'
import { MAX_ASSOCIATED_KEYS, weightOf } from '../keyWeights.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readHashInput } from './input.ts'
import { writeStored } from './writeStored.ts'

type AssociatedKeys = Account['associatedKeys']

// The node's `AddKeyFailure`, `RemoveKeyFailure` and `UpdateKeyFailure`, and `SetThresholdFailure`.
const addErrors = { maxKeys: 1, duplicate: 2, permission: 3 } as const
const changeErrors = { missing: 1, permission: 2, threshold: 3 } as const
const thresholdErrors = { keyManagement: 1, deployment: 2, permission: 3, totalWeight: 4 } as const

const DEPLOYMENT = 0
const KEY_MANAGEMENT = 1
const UPGRADE_MANAGEMENT = 2

/**
 * Host functions for the keys that can sign for an account, and for the required weight of their signatures. The order of the
 * checks is that of casper-execution-engine 8.1.1 (`runtime/mod.rs`, `runtime_context/mod.rs`) and of `account.rs` in
 * casper-types 6.1.0. No recording contains their errors.
 */
export const associatedKeyFunctions: HostFunctions = {
  add_associated_key: {
    parameters: 3,
    byteParameter: 2,
    hasResult: true,
    cost: costOf('add_associated_key'),
    run(runtime, pointer, size, weight) {
      const accountHash = readHashInput(runtime, pointer, size)
      if (!mayManageKeys(runtime)) return addErrors.permission
      const account = readOwnAccount(runtime)
      const keys = account.associatedKeys
      if (keys.length >= MAX_ASSOCIATED_KEYS) return addErrors.maxKeys
      if (findKey(account, accountHash) !== undefined) return addErrors.duplicate
      const associatedKeys = [...keys, { accountHash, weight }].sort((a, b) =>
        Buffer.compare(a.accountHash, b.accountHash),
      )
      return save(runtime, { ...account, associatedKeys })
    },
  },
  remove_associated_key: {
    parameters: 2,
    hasResult: true,
    cost: costOf('remove_associated_key'),
    run(runtime, pointer, size) {
      const accountHash = readHashInput(runtime, pointer, size)
      if (!mayManageKeys(runtime)) return changeErrors.permission
      const account = readOwnAccount(runtime)
      if (findKey(account, accountHash) === undefined) return changeErrors.missing
      const associatedKeys = account.associatedKeys.filter((key) => !isSame(key, accountHash))
      return saveIfReachable(runtime, { ...account, associatedKeys })
    },
  },
  update_associated_key: {
    parameters: 3,
    byteParameter: 2,
    hasResult: true,
    cost: costOf('update_associated_key'),
    run(runtime, pointer, size, weight) {
      const accountHash = readHashInput(runtime, pointer, size)
      if (!mayManageKeys(runtime)) return changeErrors.permission
      const account = readOwnAccount(runtime)
      if (findKey(account, accountHash) === undefined) return changeErrors.missing
      const associatedKeys = account.associatedKeys.map((key) =>
        isSame(key, accountHash) ? { accountHash, weight } : key,
      )
      return saveIfReachable(runtime, { ...account, associatedKeys })
    },
  },
  set_action_threshold: {
    parameters: 2,
    byteParameter: 1,
    hasResult: true,
    cost: costOf('set_action_threshold'),
    run(runtime, action, threshold) {
      if (!mayManageKeys(runtime)) return thresholdErrors.permission
      if (action > UPGRADE_MANAGEMENT) throw interpreterError('trap: Code(Unreachable)')
      const account = readAccountOfThresholds(runtime)
      if (action === UPGRADE_MANAGEMENT) throw invalidContextError()
      const { deployment, keyManagement } = account.actionThresholds
      if (weightOf(account) < threshold) return thresholdErrors.totalWeight
      if (action === DEPLOYMENT && threshold > keyManagement) return thresholdErrors.deployment
      if (action === KEY_MANAGEMENT && threshold < deployment) return thresholdErrors.keyManagement
      const changed = action === DEPLOYMENT ? { deployment: threshold } : { keyManagement: threshold }
      return save(runtime, { ...account, actionThresholds: { ...account.actionThresholds, ...changed } })
    },
  },
}

/** Returns whether the signatures suffice for key management in the sender's account as it was before the transaction. */
const mayManageKeys = ({ execution: { account, signers } }: Runtime): boolean =>
  weightOf(account, signers) >= account.actionThresholds.keyManagement

/** @throws {ExecutionError} in a contract, which has no keys */
function readOwnAccount({ contextKey, execution }: Runtime): Account {
  const stored = execution.state.read(contextKey)
  if (stored?.kind === 'Account') return stored.account
  throw new ExecutionError(`Tracking copy error: Type mismatch. Expected Account but found ${stored?.kind}.`)
}

/** @throws {ExecutionError} in a contract: a node looks for an account with the contract's address */
function readAccountOfThresholds(runtime: Runtime): Account {
  if (runtime.contextKey[0] === keyTags.account) return readOwnAccount(runtime)
  throw keyNotFoundError(accountKey(addressOf(runtime.contextKey)))
}

const findKey = ({ associatedKeys }: Account, accountHash: Uint8Array): AssociatedKeys[number] | undefined =>
  associatedKeys.find((key) => isSame(key, accountHash))

const isSame = (key: AssociatedKeys[number], accountHash: Uint8Array): boolean =>
  Buffer.compare(key.accountHash, accountHash) === 0

/** Saves an account whose keys still reach the threshold of key management, which is never below that of deployment. */
function saveIfReachable(runtime: Runtime, account: Account): number {
  if (weightOf(account) < account.actionThresholds.keyManagement) return changeErrors.threshold
  return save(runtime, account)
}

function save(runtime: Runtime, account: Account): 0 {
  writeStored(runtime, runtime.contextKey, { kind: 'Account', account })
  return 0
}
