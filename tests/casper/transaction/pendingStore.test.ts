import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Type } from '@sinclair/typebox'
import {
  createPending,
  createPendingStore,
  type PendingStore,
  pendingFolder,
} from '../../../src/casper/transaction/pendingStore.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder, type Folder } from '../../support/folder.ts'

interface Payment {
  kind: 'payment'
  to: string
}

const Payment = Type.Object({ kind: Type.Literal('payment'), to: Type.String() })

const pendingOf = (digit: string) =>
  createPending<Payment>(
    {
      hash: digit.repeat(64),
      expiresAt: 1_800_001_800_000,
      transaction: { Version1: { hash: digit.repeat(64), payload: {} } },
    },
    { chain_name: 'casper-net-1', payment_motes: '5000000000', purpose: { kind: 'payment', to: 'A' } },
  )

const folderOf = ({ path }: Folder, chainName = 'casper-net-1', contract = '11'): string =>
  pendingFolder(path, chainName, contract.repeat(32))
const storeOf = (folder: Folder, ...at: string[]): PendingStore<Payment> =>
  createPendingStore(folderOf(folder, ...at), Payment)
const pathOf = (folder: Folder, digit: string): string => `${folderOf(folder)}/${digit.repeat(64)}.json`

test('default: a file each, for the owner only, listed by hash until it is removed', async () => {
  using folder = createFolder()
  const store = storeOf(folder)
  const [one, two] = [pendingOf('2'), pendingOf('1')]
  expect(await store.list()).toEqual([])
  await store.write(one)
  await store.write(two)
  expect(await store.list()).toEqual([two, one])
  expect(await store.list(new Set([one.transaction_hash]))).toEqual([two])
  expect(statSync(pathOf(folder, '2')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folderOf(folder)).sort()).toEqual([`${'1'.repeat(64)}.json`, `${'2'.repeat(64)}.json`])
  await store.remove(one)
  await store.remove(one)
  expect(await store.list()).toEqual([two])
})

test('default: the content of a file', async () => {
  using folder = createFolder()
  await storeOf(folder).write(pendingOf('1'))
  expect(JSON.parse(readFileSync(pathOf(folder, '1'), 'utf8'))).toEqual({
    version: 1,
    chain_name: 'casper-net-1',
    purpose: { kind: 'payment', to: 'A' },
    transaction_hash: '1'.repeat(64),
    expires_at: 1_800_001_800_000,
    payment_motes: '5000000000',
    transaction: { Version1: { hash: '1'.repeat(64), payload: {} } },
  })
})

test('behavior: each chain and each contract has its own folder', async () => {
  using folder = createFolder()
  await storeOf(folder).write(pendingOf('1'))
  expect(await storeOf(folder, 'casper').list()).toEqual([])
  expect(await storeOf(folder, 'casper-net-1', '22').list()).toEqual([])
})

test('behavior: transactions of another kind are not listed', async () => {
  using folder = createFolder()
  await storeOf(folder).write(pendingOf('1'))
  const other = createPendingStore<{ kind: 'approval' }>(
    folderOf(folder),
    Type.Object({ kind: Type.Literal('approval') }),
  )
  const approval = { ...pendingOf('2'), purpose: { kind: 'approval' as const } }
  await other.write(approval)
  expect([await other.list(), await storeOf(folder).list()]).toEqual([[approval], [pendingOf('1')]])
})

test('behavior: a file that was cut off while it was written was never sent', async () => {
  using folder = createFolder()
  mkdirSync(folderOf(folder), { recursive: true })
  writeFileSync(`${pathOf(folder, '1')}.0123abcd-0000-4000-8000-000000000000.new`, '{"vers')
  expect(await storeOf(folder).list()).toEqual([])
})

test('behavior: a file that another process removes while the folder is read is not pending', async () => {
  using folder = createFolder()
  const store = storeOf(folder)
  await store.write(pendingOf('1'))
  // Listed, but missing when it is read.
  symlinkSync(`${folder.path}/removed`, pathOf(folder, '2'))
  expect(await store.list()).toEqual([pendingOf('1')])
})

const good = pendingOf('1')
const name = `${'1'.repeat(64)}.json`
const broken: [string, string, string][] = [
  ['nothing', name, ''],
  ['half of it', name, JSON.stringify(good).slice(0, 200)],
  ['another version', name, JSON.stringify({ ...good, version: 2 })],
  ['a list', name, '[]'],
  ['no purpose', name, JSON.stringify({ ...good, purpose: undefined })],
  ['half of its purpose', name, JSON.stringify({ ...good, purpose: { kind: 'payment' } })],
  ['a payment that is no number', name, JSON.stringify({ ...good, payment_motes: '1.5' })],
  ['another hash', name, JSON.stringify({ ...good, transaction_hash: 'AB' })],
  [
    'another transaction',
    name,
    JSON.stringify({ ...good, transaction: { Version1: { hash: '2'.repeat(64) } } }),
  ],
  ['the content of another file', `${'2'.repeat(64)}.json`, JSON.stringify(good)],
  ['a transaction under another name', 'copy.json', JSON.stringify(good)],
]
test.each(broken)('error: a file that holds %s', async (_, file, text) => {
  using folder = createFolder()
  const path = `${folderOf(folder)}/${file}`
  mkdirSync(folderOf(folder), { recursive: true })
  writeFileSync(path, text)
  const error = await errorOf(storeOf(folder).list())
  expect({ ...error, rule: '' } as object).toEqual({ code: 'pending_file', retryable: false, path, rule: '' })
  expect(error.message).toMatch(
    /^\S+ is not a pending transaction .* Look up the transaction .* Remove the file/,
  )
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('error: a folder that is a file', async () => {
  using folder = createFolder()
  mkdirSync(dirname(folderOf(folder)), { recursive: true })
  writeFileSync(folderOf(folder), '')
  expect((await errorOf(storeOf(folder).list())).message).toBe(
    `${folderOf(folder)} cannot be read (ENOTDIR); nothing was sent: let this user read it`,
  )
})

test('error: a file that cannot be read', async () => {
  using folder = createFolder()
  mkdirSync(pathOf(folder, '1'), { recursive: true })
  expect((await errorOf(storeOf(folder).list())).message).toContain('cannot be read (EISDIR)')
})
