/** Writes the verifier, one HTML file: `bun scripts/buildVerifier.ts`. `--check` only checks whether it is up to date. */

import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = `${root}src/explorer/verifier/index.html`

/** Has the file's hash in its newest section. */
const changelogPath = `${root}CHANGELOG.md`

/** The committed file, which servers and binaries serve. */
export const verifierPath = `${root}src/site/wattfeed-verifier.html`

/** Bundles the verifier with its script and style inside. */
export async function buildVerifier(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    minify: true,
    throw: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const textOf = (type: string): Promise<string> => {
    const file = outputs.find((output) => output.type.startsWith(type))
    if (file === undefined) throw new Error(`the bundle has no ${type}`)
    return file.text()
  }
  const [page, script, style] = await Promise.all(['text/html', 'text/javascript', 'text/css'].map(textOf))
  return inline(page ?? '', script ?? '', style ?? '')
}

/** Replaces the bundler's file references in the page by the script and style. */
function inline(page: string, script: string, style: string): string {
  // A function, because `$&` has a meaning in a replacement string.
  return page
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style.trim()}</style>`)
    .replace(/<script[^>]*><\/script>/, '')
    .replace(
      '</body>',
      () => `<script type="module">${script.trim().replaceAll('</script', '<\\/script')}</script></body>`,
    )
}

if (import.meta.main) {
  const built = await buildVerifier()
  const hash = createHash('sha256').update(built).digest('hex')
  const changelog = await Bun.file(changelogPath).text()
  if (!process.argv.includes('--check')) {
    await Bun.write(verifierPath, built)
    await Bun.write(changelogPath, changelog.replace(/(?<=verifier-hash.*\n`)[0-9a-f]{64}/, hash))
  }
  const isCurrent = (await Bun.file(verifierPath).text()) === built
  console.log(`${isCurrent ? 'up to date' : 'out of date: run bun scripts/buildVerifier.ts'}: ${hash}`)
  process.exitCode = isCurrent ? 0 : 1
}
