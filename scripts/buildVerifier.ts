/** Writes the verifier, one HTML file: `bun scripts/buildVerifier.ts`. With `--check` it only says whether it is up to date. */

import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = `${root}src/explorer/verifier/index.html`

/** The committed file, which servers and binaries hand out. */
export const verifierPath = `${root}src/explorer/wattfeed-verifier.html`

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

/** Puts script and style into the page, where the bundler names files. */
function inline(page: string, script: string, style: string): string {
  // A function, because `$&` in a replacement text means something.
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
  if (!process.argv.includes('--check')) await Bun.write(verifierPath, built)
  const isCurrent = (await Bun.file(verifierPath).text()) === built
  const hash = createHash('sha256').update(built).digest('hex')
  console.log(`${isCurrent ? 'up to date' : 'out of date: run bun scripts/buildVerifier.ts'}: ${hash}`)
  process.exitCode = isCurrent ? 0 : 1
}
