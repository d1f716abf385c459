import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFolder } from '@wattfeed/testing/folder'
import { buildAsDockerfile, copiedFiles } from './dockerBuild.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/wattfeed')

/** Changes with every input of the build. */
function hashSources(): string {
  const hasher = new Bun.CryptoHasher('blake2b256')
  hasher.update(Bun.version)
  for (const name of ['Dockerfile', '.dockerignore', ...copiedFiles().map(({ from }) => from)])
    hasher.update(`${name}\n`).update(readFileSync(join(root, name)))
  return hasher.digest('hex')
}

/** Returns the path of the binary. The first test file that needs it builds it, while others wait. */
async function buildOnce(): Promise<string> {
  const path = join(cache, hashSources(), 'wattfeed')
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  // A killed process releases the lock.
  using lock = new Database(join(cache, 'lock.sqlite'))
  lock.run('PRAGMA busy_timeout = 300000')
  lock.run('BEGIN EXCLUSIVE')
  if (existsSync(path)) return path
  removeBinaries(cache)
  using folder = createFolder()
  mkdirSync(dirname(path))
  copyFileSync(await buildAsDockerfile(folder.path), `${path}.part`)
  renameSync(`${path}.part`, path)
  return path
}

/** Removes the folders of earlier binaries. The verifier is beside them (`src/web/site/verifierBuild.ts`), and any process may replace it. */
export function removeBinaries(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^[0-9a-f]{64}$/.test(name)) rmSync(join(folder, name), { recursive: true })
}

/** Builds the binary from the files that the Dockerfile copies, and returns its path. */
export const binary = await buildOnce()

/** A program of wattfeed. */
export type Command =
  | 'agent'
  | 'committee'
  | 'contracts'
  | 'datasets'
  | 'series'
  | 'devnet'
  | 'export'
  | 'feeds'
  | 'forward'
  | 'serve'
  | 'transaction'
  | 'verify'

/** Returns the command line of a program in the form that users run. It starts three times as fast as the sources. */
export const wattfeed = (command: Command): readonly string[] => [binary, command]
