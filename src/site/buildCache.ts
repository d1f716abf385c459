import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns the text that a file keeps for a key. Otherwise builds the text, and keeps it there in place of an earlier one. Any number
 * of processes may do so at once: each renames a whole file of its own.
 *
 * @param key changes with all that the text depends on
 */
export function cachedText(file: string, key: string, build: () => string): string {
  const kept = readKept(file, key)
  if (kept !== null) return kept
  const text = build()
  const own = `${file}.${crypto.randomUUID()}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(own, `${headOf(key, text)}\n${text}`)
    renameSync(own, file)
  } catch {
    // The folder may be read-only. Then each process builds the text.
  }
  return text
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

const headOf = (key: string, text: string): string => `${key} ${sha256().update(text).digest('hex')}`

const sha256 = (): Bun.CryptoHasher => new Bun.CryptoHasher('sha256')

/** Hashes what decides a bundle: Bun, the versions of the packages, and every source, because it may import any of them. */
export function hashInputs(root: string): string {
  const sources = [...new Bun.Glob('src/**/*').scanSync({ cwd: root })].sort()
  const hash = sha256().update(Bun.revision)
  for (const file of ['bun.lock', 'package.json', 'tsconfig.json', ...sources])
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
