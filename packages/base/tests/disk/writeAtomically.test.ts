import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import { writeAtomically } from '../../src/disk/writeAtomically.ts'

describe('writeAtomically', () => {
  test('default: makes the folder, replaces the file, leaves nothing else', async () => {
    using folder = createFolder()
    const path = `${folder.path}/a/b/file.json`
    await writeAtomically(path, 'one')
    await writeAtomically(path, 'two')
    expect([readFileSync(path, 'utf8'), readdirSync(`${folder.path}/a/b`)]).toEqual(['two', ['file.json']])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('behavior: writers with the same process id, as in containers, replace the file one after the other', async () => {
    using folder = createFolder()
    const path = `${folder.path}/file.json`
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000 + 10_000 * index))
    await Promise.all(contents.map((content) => writeAtomically(path, content)))
    expect(contents.includes(readFileSync(path, 'utf8'))).toBe(true)
    expect(readdirSync(folder.path)).toEqual(['file.json'])
  })

  test('error: a file that cannot be replaced stays, and no other file is left behind', async () => {
    using folder = createFolder()
    await writeAtomically(`${folder.path}/taken/file`, 'one')
    expect(writeAtomically(`${folder.path}/taken`, 'two')).rejects.toThrow()
    await writeAtomically(`${folder.path}/taken`, 'two').catch(() => {})
    expect(readdirSync(folder.path)).toEqual(['taken'])
    expect(readFileSync(`${folder.path}/taken/file`, 'utf8')).toBe('one')
  })
})
