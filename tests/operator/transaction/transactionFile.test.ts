import { describe, expect, mock, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import {
  createTransactionFile,
  readTransactionFile,
} from '../../../src/operator/transaction/transactionFile.ts'

const existing = { ...fs }

/** As on FAT and exFAT, which sticks have. */
function withoutHardLinks(): Disposable {
  const link = () => Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM' }))
  mock.module('node:fs/promises', () => ({ ...existing, link }))
  return { [Symbol.dispose]: () => void mock.module('node:fs/promises', () => existing) }
}

describe.each([
  ['with hard links', () => null],
  ['without hard links', withoutHardLinks],
])('createTransactionFile %s', (_, prepare) => {
  test('default: the whole file, and nothing else', async () => {
    using folder = createFolder()
    using _ = prepare()
    await createTransactionFile(`${folder.path}/t.json`, { a: 1 })
    expect(readFileSync(`${folder.path}/t.json`, 'utf8')).toBe('{\n  "a": 1\n}\n')
    expect(readdirSync(folder.path)).toEqual(['t.json'])
  })

  test('error: a file that another program has just created stays', async () => {
    using folder = createFolder()
    using _ = prepare()
    const path = folder.write('t.json', 'mine')
    expect((await errorOf(createTransactionFile(path, {}))).message).toContain(
      'exists, and is not overwritten',
    )
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(readdirSync(folder.path)).toEqual(['t.json'])
  })

  test('error: a folder that does not exist', async () => {
    using folder = createFolder()
    using _ = prepare()
    const path = `${folder.path}/none/t.json`
    expect((await errorOf(createTransactionFile(path, {}))).message).toStartWith(
      `${path} cannot be written (ENOENT); nothing was sent`,
    )
  })
})

test('error: a folder is no file to read', async () => {
  using folder = createFolder()
  expect((await errorOf(readTransactionFile(folder.path))).message).toBe(
    `${folder.path} cannot be read (EISDIR); name a file, not a folder`,
  )
})
