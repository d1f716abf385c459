// cspell:ignore mkfifo
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { folderFiles } from '../src/disk/index.ts'

test('error: a pipe in the place of a file: opening it would wait for ever', async () => {
  using folder = createFolder()
  expect(Bun.spawnSync(['mkfifo', join(folder.path, 'index')]).exitCode).toBe(0)
  await expect(folderFiles(folder.path).read('index', 10)).rejects.toThrow('index: is not a regular file')
})
