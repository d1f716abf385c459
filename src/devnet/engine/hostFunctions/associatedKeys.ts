import type { Account } from '../../../casper/types/account.ts'
import { keyTags } from '../../../casper/types/key.ts'
import type { Runtime } from '../callContext.ts'
import { ExecutionError } from '../executionError.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readHashInput } from './input.ts'
import { writeStored } from './writeStored.ts'

type AssociatedKeys = Account['associatedKeys']

// The node's `AddKeyFailure`, `RemoveKeyFailure` and `UpdateKeyFailure`, and `SetThresholdFailure`.
const addErrors = { maxKeys: 1, duplicate: 2, permission: 3 } as const
const changeErrors = { missing: 1, permission: 2, threshold: 3 } as const
const thresholdErrors = { keyManagement: 1, deployment: 2, permission: 3, totalWeight: 4 } as const

const MAX_KEYS = 100
const DEPLOYMENT = 0
const KEY_MANAGEMENT = 1

/** Host functions for the keys that can sign for an account, and for the required weight of their signatures. */
export const associatedKeyFunctions: HostFunctions = {
  add_associated_key: {
    parameters: 3,
    hasResult: true,
    cost: costOf('add_associated_key'),
    run(runtime, pointer, size, weight) {
      const accountHash = readHashInput(runtime, pointer, size)
      const account = managedAccount(runtime)
      if (account === null) return addErrors.permission
      const keys = account.associatedKeys
      if (keys.length >= MAX_KEYS) return addErrors.maxKeys
      if (keys.some((key) => isSame(key, accountHash))) return addErrors.duplicate
      const associatedKeys = [...keys, { accountHash, weight: weight & 0xff }].sort((a, b) =>
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
      return change(runtime, accountHash, (keys) => keys.filter((key) => !isSame(key, accountHash)))
    },
  },
  update_associated_key: {
    parameters: 3,
    hasResult: true,
    cost: costOf('update_associated_key'),
    run(runtime, pointer, size, weight) {
      const accountHash = readHashInput(runtime, pointer, size)
      return change(runtime, accountHash, (keys) =>
        keys.map((key) => (isSame(key, accountHash) ? { accountHash, weight: weight & 0xff } : key)),
      )
    },
  },
  set_action_threshold: {
    parameters: 2,
    hasResult: true,
    cost: costOf('set_action_threshold'),
    run(runtime, action, threshold) {
      const account = managedAccount(runtime)
      if (account === null) return thresholdErrors.permission
      const { deployment, keyManagement } = account.actionThresholds
      if (action !== DEPLOYMENT && action !== KEY_MANAGEMENT) throw new ExecutionError('Unreachable')
      if (totalWeight(account.associatedKeys) < threshold) return thresholdErrors.totalWeight
      if (action === DEPLOYMENT && threshold > keyManagement) return thresholdErrors.deployment
      if (action === KEY_MANAGEMENT && threshold < deployment) return thresholdErrors.keyManagement
      const changed = action === DEPLOYMENT ? { deployment: threshold } : { keyManagement: threshold }
      return save(runtime, { ...account, actionThresholds: { ...account.actionThresholds, ...changed } })
    },
  },
}

const isSame = (key: AssociatedKeys[number], accountHash: Uint8Array): boolean =>
  Buffer.compare(key.accountHash, accountHash) === 0

const totalWeight = (keys: AssociatedKeys): number => keys.reduce((sum, { weight }) => sum + weight, 0)

/** Returns the sender's account. Null in a contract, or if the signatures do not suffice for key management. */
function managedAccount({ contextKey, execution }: Runtime): Account | null {
  if (contextKey[0] !== keyTags.account) return null
  const stored = execution.state.read(contextKey)
  if (stored?.kind !== 'Account') return null
  const { associatedKeys, actionThresholds } = stored.account
  const signers = associatedKeys.filter((key) => execution.signers.some((signer) => isSame(key, signer)))
  return totalWeight(signers) < actionThresholds.keyManagement ? null : stored.account
}

function change(
  runtime: Runtime,
  accountHash: Uint8Array,
  changed: (keys: AssociatedKeys) => AssociatedKeys,
): number {
  const account = managedAccount(runtime)
  if (account === null) return changeErrors.permission
  if (!account.associatedKeys.some((key) => isSame(key, accountHash))) return changeErrors.missing
  const associatedKeys = changed(account.associatedKeys)
  // The threshold of key management is never below that of deployment, so only this one is checked.
  if (totalWeight(associatedKeys) < account.actionThresholds.keyManagement) return changeErrors.threshold
  return save(runtime, { ...account, associatedKeys })
}

function save(runtime: Runtime, account: Account): 0 {
  writeStored(runtime, runtime.contextKey, { kind: 'Account', account })
  return 0
}
