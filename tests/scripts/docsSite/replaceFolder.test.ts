import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { replaceFolder } from '../../../scripts/docsSite/replaceFolder.ts'

describe('replaceFolder', () => {
  test('default: writes the files, and those of an earlier run are gone', () => {
    using folder = createFolder()
    const out = join(folder.path, 'dist/docs')
    replaceFolder(out, new Map([['old.html', '']]))
    replaceFolder(out, new Map([['library/a.html', 'A']]))
    expect(readdirSync(out).sort()).toEqual(['.docs-site', 'library'])
    expect(readFileSync(join(out, 'library/a.html'), 'utf8')).toBe('A')
  })

  test('behavior: an empty folder may be used', () => {
    using folder = createFolder()
    replaceFolder(folder.path, new Map([['a.html', '']]))
    expect(readdirSync(folder.path)).toContain('a.html')
  })

  test('error: a folder with other files stays as it is', () => {
    using folder = createFolder()
    mkdirSync(join(folder.path, 'photos'))
    expect(() => replaceFolder(folder.path, new Map([['a.html', '']]))).toThrow(
      `${folder.path} has files that this command did not write: remove them, or name another folder with --out`,
    )
    expect(readdirSync(folder.path)).toEqual(['photos'])
  })
})
