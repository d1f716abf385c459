import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAsDockerfile, copiedFiles } from './dockerBuild.ts'
import { createFolder } from './folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/wattfeed')

/** Changes with whatever the binary is made from. */
function hashSources(): string {
  const hasher = new Bun.CryptoHasher('blake2b256')
  hasher.update(Bun.version)
  for (const name of ['Dockerfile', '.dockerignore', ...copiedFiles().map(({ from }) => from)])
    hasher.update(`${name}\n`).update(readFileSync(join(root, name)))
  return hasher.digest('hex')
}

/** Returns the path of the binary, which the first test file to ask builds while others wait. */
async function buildOnce(): Promise<string> {
  const path = join(cache, hashSources(), 'wattfeed')
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  // Whoever is killed over it lets go of it.
  using lock = new Database(join(cache, 'lock.sqlite'))
  lock.run('PRAGMA busy_timeout = 300000')
  lock.run('BEGIN EXCLUSIVE')
  if (existsSync(path)) return path
  removeOld()
  using folder = createFolder()
  mkdirSync(dirname(path))
  copyFileSync(await buildAsDockerfile(folder.path), `${path}.part`)
  renameSync(`${path}.part`, path)
  return path
}

function removeOld(): void {
  for (const name of readdirSync(cache))
    if (!name.startsWith('lock')) rmSync(join(cache, name), { recursive: true })
}

/** The path of the binary, built of what the Dockerfile copies. */
export const binary = await buildOnce()

/** A program of wattfeed. */
export type Command = 'agent' | 'contracts' | 'devnet' | 'export' | 'feeds' | 'forward' | 'serve' | 'verify'

/** Returns the command line of a program as users have it; it starts three times as fast as the sources do. */
export const wattfeed = (command: Command): readonly string[] => [binary, command]
