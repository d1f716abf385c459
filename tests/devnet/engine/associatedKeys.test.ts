import { test } from 'bun:test'
import { account, useAccountSession } from './support/accountSession.ts'
import type { HostCall } from './support/hostCalls.ts'

const session = useAccountSession()
const [DEPLOYMENT, KEY_MANAGEMENT] = [0, 1]
const other = new Uint8Array(32).fill(2)

const add = (key: Uint8Array, weight: number, returns = 0): HostCall => ({
  name: 'add_associated_key',
  args: [key, weight],
  returns,
})
const update = (key: Uint8Array, weight: number, returns = 0): HostCall => ({
  name: 'update_associated_key',
  args: [key, weight],
  returns,
})
const remove = (key: Uint8Array, returns = 0): HostCall => ({
  name: 'remove_associated_key',
  args: [key],
  returns,
})
const setThreshold = (action: number, threshold: number, returns = 0): HostCall => ({
  name: 'set_action_threshold',
  args: [action, threshold],
  returns,
})

test('default: keys are added, changed and removed, and thresholds set', () => {
  session.effectsOf(
    add(other, 2),
    update(other, 3),
    setThreshold(KEY_MANAGEMENT, 1),
    setThreshold(DEPLOYMENT, 1),
    remove(account),
  )
  // The sender's own key can no longer manage keys.
  session.effectsOf(add(account, 1, 3))
})

test('error: an existing key, a missing key, and thresholds above the total weight', () => {
  session.effectsOf(
    add(account, 1, 2),
    update(other, 1, 1),
    remove(other, 1),
    remove(account, 3),
    update(account, 0, 3),
    setThreshold(KEY_MANAGEMENT, 2, 4),
    setThreshold(DEPLOYMENT, 2, 4),
    add(other, 2),
    setThreshold(DEPLOYMENT, 2, 2),
    setThreshold(KEY_MANAGEMENT, 0, 1),
  )
})

test('error: signatures below the threshold of key management change nothing', () => {
  session.effectsOf(add(other, 2), setThreshold(KEY_MANAGEMENT, 2))
  session.effectsOf(
    add(new Uint8Array(32), 1, 3),
    update(other, 1, 2),
    remove(other, 2),
    setThreshold(DEPLOYMENT, 1, 3),
  )
})
