import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
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
const earlierName = 'registration-casper-test.json'

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

  test('behavior: the single file of an earlier version is listed first, and goes once it is settled', async () => {
    using folder = createFolder()
    const path = folder.write(earlierName, JSON.stringify(pending))
    const store = storeOf(folder.path)
    await store.write(other)
    expect(await store.list()).toEqual([pending, other])
    await store.remove(other)
    expect([await store.list(), existsSync(path)]).toEqual([[pending], true])
    await store.remove(pending)
    expect([await store.list(), existsSync(path)]).toEqual([[], false])
  })

  test('behavior: each chain has its own', async () => {
    using folder = createFolder()
    await storeOf(folder.path).write(pending)
    expect(await storeOf(folder.path, { chainName: 'casper' }).list()).toEqual([])
  })

  test.each(['', earlierName])('error: one of another registry of the same chain %s', async (name) => {
    using folder = createFolder()
    if (name === '') await storeOf(folder.path).write(pending)
    else folder.write(name, JSON.stringify(pending))
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
  ])('error: %p is no transaction', async (text) => {
    using folder = createFolder()
    const path = folder.write(earlierName, text)
    expect(await errorOf(storeOf(folder.path).list())).toMatchObject({ code: 'pending_file', path })
  })
})
