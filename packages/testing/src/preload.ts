/** Preloaded into every run of the tests. */
import { setDefaultTimeout } from 'bun:test'
import { readFileSync } from 'node:fs'
import './leftBehind.ts'
import { forbidInUnitTests, startTestFile } from './level.ts'
import './protocol.ts'

// Enough for a machine ten times slower: no test depends on its speed.
const LIMIT_MS = 300_000

// Bun forgets the limit of a preload after the first test file (https://github.com/oven-sh/bun/issues/43787), so it is
// set whenever a file is loaded.
Bun.plugin({
  name: 'test files',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, ({ path }) => {
      setDefaultTimeout(LIMIT_MS)
      startTestFile(path)
      return { contents: readFileSync(path, 'utf8'), loader: 'ts' }
    })
  },
})

forbidInUnitTests()
