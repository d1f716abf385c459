/** Preloaded into every test run. Fails if a folder that a test created still exists at the end. */
import { afterAll } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { createdFolders } from './folder.ts'

afterAll(() => {
  const left = [...createdFolders].filter(([path]) => existsSync(path))
  for (const [path] of left) rmSync(path, { recursive: true, force: true })
  // A run that a test has killed may finish a write after its folder was removed.
  const forgotten = left.filter(([, isDisposed]) => !isDisposed).map(([path]) => path)
  if (forgotten.length > 0)
    throw new Error(`${forgotten.join(', ')}: never removed by the test that created it`)
})
