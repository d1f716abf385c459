import { describe, expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { createRegistrationStore } from '../../../src/operator/feeds/registerFeeds.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'

const pending = {
  feed_id: 'EIA.X',
  feed_registry_package_hash: 'cd'.repeat(32),
  transaction_hash: 'ab'.repeat(32),
  expires_at: 1,
  payment_motes: '2500000000',
  transaction: { Version1: { hash: 'ab'.repeat(32) } },
}

const storeOf = (stateDir: string, changes: { chainName?: string; feedRegistryPackageHash?: string } = {}) =>
  createRegistrationStore({
    stateDir,
    chainName: 'casper-test',
    feedRegistryPackageHash: 'cd'.repeat(32),
    ...changes,
  })

const hash = 'ef'.repeat(32)
const other = { ...pending, feed_id: 'EIA.Y', transaction_hash: hash, transaction: { Version1: { hash } } }

describe('createRegistrationStore', () => {
  test('default: gives back what was written, a file each, until it is removed', async () => {
    using folder = createFolder()
    const store = storeOf(`${folder.path}/state`)
    expect(await store.list()).toEqual([])
    await store.write(pending)
    await store.write(other)
    expect(await store.list()).toEqual([pending, other])
    expect(readdirSync(`${folder.path}/state/registrations/casper-test`).toSorted()).toEqual(
      [pending, other].map(({ transaction_hash }) => `${transaction_hash}.json`),
    )
    await store.remove(pending)
    expect(await store.list()).toEqual([other])
    await store.remove(pending)
  })

  test('behavior: each chain has its own', async () => {
    using folder = createFolder()
    await storeOf(folder.path).write(pending)
    expect(await storeOf(folder.path, { chainName: 'casper' }).list()).toEqual([])
  })

  test('error: one of another registry of the same chain', async () => {
    using folder = createFolder()
    await storeOf(folder.path).write(pending)
    const error = await errorOf(storeOf(folder.path, { feedRegistryPackageHash: 'ef'.repeat(32) }).list())
    expect(error).toMatchObject({ code: 'foreign_pending' })
    expect(error.message).toContain('choose another AGENT_STATE_DIR')
  })

  test.each([
    '',
    '{',
    '[]',
    JSON.stringify({ ...pending, transaction_hash: 'AB' }),
    JSON.stringify({ ...pending, transaction_hash: 'ef'.repeat(32) }),
    JSON.stringify({ ...pending, feed_id: undefined }),
    JSON.stringify(pending).slice(0, 100),
  ])('error: %p is no transaction', async (text) => {
    using folder = createFolder()
    const store = storeOf(folder.path)
    await store.write(pending)
    const path = `${folder.path}/registrations/casper-test/${pending.transaction_hash}.json`
    writeFileSync(path, text)
    const error = await errorOf(store.list())
    expect(error).toMatchObject({ code: 'pending_file', path })
    expect(error.message).toContain('look up the transaction that it is named after')
  })
})
