import { expect, test } from 'bun:test'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { assertMaySign, getAccount, getAccountAt, getNamedKeys } from '../../src/transaction/account.ts'
import { sumWeights } from '../../src/types/account.ts'
import { answerFrom, type EntityStateName, entityState } from '../support/entityStates.ts'
import { testSigner } from '../support/keys.ts'

const account = 'account-hash-58b891759929bd4ed5a9cce20b9d6e3c96a66c21386bed96040e17dd07b79fa7'
const rpcAt = (name: EntityStateName) => createLocalRpc(answerFrom(entityState(name)))
const keyOf = (byte: number): string => `account-hash-${`0${byte}`.repeat(32)}`

test('default: the keys of an account that has become an addressable entity', async () => {
  const one = await getAccount(rpcAt('called'), account)
  expect(one).toMatchObject({
    accountHash: Uint8Array.fromHex(account.slice('account-hash-'.length)),
    namedKeys: null,
    associatedKeys: [{ weight: 1 }],
    actionThresholds: { deployment: 1, keyManagement: 1 },
  })
  const five = await getAccount(rpcAt('five keys'), account)
  expect(five?.associatedKeys.map(({ weight }) => weight)).toEqual([1, 1, 1, 1, 1])
  expect(five?.actionThresholds).toEqual({ deployment: 3, keyManagement: 3 })
  expect(five && sumWeights(five)).toBe(5)
})

test('default: the account at a state root, before and after it is an entity', async () => {
  const keys = async (name: EntityStateName) => {
    const found = await getAccountAt(rpcAt(name), account, entityState(name).stateRootHash)
    return [found?.associatedKeys.length, found?.actionThresholds.deployment, found?.namedKeys?.size]
  }
  expect(await keys('before')).toEqual([1, 1, 6])
  expect(await keys('five keys')).toEqual([5, 3, undefined])
  expect(await keys('installed')).toEqual([5, 4, undefined])
})

test('default: who may sign alone', async () => {
  const signer = { ...(await testSigner()), initiator: account, accountHash: account, keyHash: keyOf(1) }
  await assertMaySign(rpcAt('called'), { ...signer, keyHash: account })
  await expect(assertMaySign(rpcAt('five keys'), signer)).rejects.toMatchObject({
    code: 'not_associated',
    weight: 1,
    threshold: 3,
  })
})

test('error: its named keys cannot be listed', async () => {
  await expect(getNamedKeys(rpcAt('called'), account)).rejects.toMatchObject({
    code: 'entity_account',
    account,
  })
})
