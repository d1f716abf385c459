import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { StateFileError } from '@wattfeed/base/disk'
import { createFolder } from '@wattfeed/testing/folder'
import { readSources } from '../../../src/agent/send/archiveDatabase.ts'

test('error: reading a file that is missing names it, and creates none', () => {
  using folder = createFolder()
  const path = `${folder.path}/archive.db`
  expect(() => readSources(path)).toThrow(StateFileError)
  expect(() => readSources(path)).toThrow(path)
  expect(existsSync(path)).toBeFalse()
})
