/**
 * Writes the hash of the verifier's page into the changelog: `bun scripts/buildVerifier.ts`. `--check` only checks whether it
 * is up to date.
 */

import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { bundleVerifier } from '../src/web/site/verifierBuild.ts'

/** Has the hash in its newest section. */
const changelogPath = fileURLToPath(new URL('../CHANGELOG.md', import.meta.url))

const hash = createHash('sha256')
  .update(await bundleVerifier())
  .digest('hex')
const changelog = await Bun.file(changelogPath).text()
const current = changelog.replace(/(?<=verifier-hash.*\n`)[0-9a-f]{64}/, hash)
const isCheck = process.argv.includes('--check')
if (!isCheck) await Bun.write(changelogPath, current)
const isCurrent = !isCheck || current === changelog
console.log(`${isCurrent ? 'up to date' : 'out of date: run bun scripts/buildVerifier.ts'}: ${hash}`)
process.exitCode = isCurrent ? 0 : 1
