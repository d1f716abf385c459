import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createPendingRegistrationFile } from '../../../src/operator/feeds/registerFeeds.ts'
import { createFolder } from '../../agent/support/keys.ts'
import { errorOf } from '../../support/errorOf.ts'

const pending = {
  feed_id: 'EIA.X',
  feed_registry_package_hash: 'cd'.repeat(32),
  transaction_hash: 'ab'.repeat(32),
  expires_at: 1,
  payment_motes: '2500000000',
  transaction: { Version1: { hash: 'ab'.repeat(32) } },
}

const fileOf = (stateDir: string, changes: { chainName?: string; feedRegistryPackageHash?: string } = {}) =>
  createPendingRegistrationFile({
    stateDir,
    chainName: 'casper-test',
    feedRegistryPackageHash: 'cd'.repeat(32),
    ...changes,
  })

describe('createPendingRegistrationFile', () => {
  test('default: gives back what was written, until it is removed', async () => {
    using folder = createFolder()
    const file = fileOf(`${folder.path}/state`)
    expect(await file.list()).toEqual([])
    await file.write(pending)
    expect(await file.list()).toEqual([pending])
    expect(readdirSync(`${folder.path}/state`)).toEqual(['registration-casper-test.json'])
    await file.remove(pending)
    expect(await file.list()).toEqual([])
    await file.remove(pending)
  })

  test('error: another one is not put in its place', async () => {
    using folder = createFolder()
    const file = fileOf(folder.path)
    await file.write(pending)
    const hash = 'ef'.repeat(32)
    const other = { ...pending, transaction_hash: hash, transaction: { Version1: { hash } } }
    const error = await errorOf(file.write(other))
    expect(error).toMatchObject({ code: 'pending_file' })
    expect(error.message).toContain(`holds transaction ${pending.transaction_hash}, which is not settled`)
    await file.remove(other)
    expect(await file.list()).toEqual([pending])
  })

  test('behavior: each chain has its own', async () => {
    using folder = createFolder()
    await fileOf(folder.path).write(pending)
    expect(await fileOf(folder.path, { chainName: 'casper' }).list()).toEqual([])
  })

  test('error: one of another registry of the same chain', async () => {
    using folder = createFolder()
    await fileOf(folder.path).write(pending)
    const other = fileOf(folder.path, { feedRegistryPackageHash: 'ef'.repeat(32) })
    const error = await errorOf(other.list())
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
    const path = folder.write('registration-casper-test.json', text)
    expect(await errorOf(fileOf(folder.path).list())).toMatchObject({ code: 'pending_file', path })
  })
})
