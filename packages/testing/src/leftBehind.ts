/** Fails a run of the tests when a folder that a test created is still there at the end. */
import { afterAll } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { createdFolders } from './folder.ts'

afterAll(() => {
  const left = createdFolders.filter((path) => existsSync(path))
  for (const path of left) rmSync(path, { recursive: true })
  if (left.length > 0)
    throw new Error(
      `${left.join(', ')}: left behind by a test, or by work that was still running when the test ended`,
    )
})
