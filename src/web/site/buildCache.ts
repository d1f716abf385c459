import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns the text that a file keeps for a key. Otherwise builds the text, and keeps it there in place of an earlier one. Any number
 * of processes may do so at once: each renames a whole file of its own.
 *
 * @param readKey returns a key that changes with all that the text depends on. While it throws, nothing is kept.
 */
export function cachedText(file: string, readKey: () => string, build: () => string): string {
  const key = keyOrNull(readKey)
  const kept = key === null ? null : readKept(file, key)
  if (kept !== null) return kept
  const text = build()
  // Of an input that changed meanwhile, the text may have either form.
  if (key !== null && keyOrNull(readKey) === key) keep(file, key, text)
  return text
}

/** Returns null if an input cannot be read, such as a file that an editor is replacing. */
function keyOrNull(readKey: () => string): string | null {
  try {
    return readKey()
  } catch {
    return null
  }
}

/** Returns null if the file is missing or damaged, or has the text of another key. */
function readKept(file: string, key: string): string | null {
  try {
    const content = readFileSync(file, 'utf8')
    const end = content.indexOf('\n')
    const text = content.slice(end + 1)
    return content.slice(0, end) === headOf(key, text) ? text : null
  } catch {
    return null
  }
}

function keep(file: string, key: string, text: string): void {
  const own = `${file}.${crypto.randomUUID()}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    try {
      writeFileSync(own, `${headOf(key, text)}\n${text}`)
      renameSync(own, file)
    } finally {
      rmSync(own, { force: true })
    }
  } catch {
    // The folder may be read-only, or the disk full. Then each process builds the text.
  }
}

const headOf = (key: string, text: string): string => `${key} ${sha256().update(text).digest('hex')}`

const sha256 = (): Bun.CryptoHasher => new Bun.CryptoHasher('sha256')

/** The installed packages may differ from the lock file. Those that are bundled have no packages of their own below them. */
const INPUTS = [
  'src/**/*',
  'packages/*/src/**/*',
  'packages/*/package.json',
  'node_modules/*/package.json',
  'node_modules/@*/*/package.json',
]

/** Hashes what decides a bundle: Bun, the versions of the packages, and every source, because it may import any of them. */
export function hashInputs(root: string): string {
  const found = INPUTS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    // The prover's packages, 250 MB, are installed below `src`, and no page has them.
    .filter((path) => !/^src\/.*\/node_modules\//.test(path))
    .sort()
  const hash = sha256().update(Bun.revision)
  for (const file of ['bun.lock', 'package.json', 'tsconfig.json', ...found])
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
