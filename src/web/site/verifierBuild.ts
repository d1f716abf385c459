import { fileURLToPath } from 'node:url'
import { cachedText, hashInputs } from './buildCache.ts'
import { bundleForBrowsers, runBuild } from './builtFile.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Bundles the verifier with its script and style inside. */
export async function bundleVerifier(): Promise<string> {
  const files = await bundleForBrowsers({
    entrypoints: [`${root}src/web/explorer/verifier/index.html`],
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const textOf = (type: string): string => {
    const file = files.find((each) => each.type.startsWith(type))
    if (file === undefined) throw new Error(`the bundle has no ${type}`)
    return file.text
  }
  return inline(textOf('text/html'), textOf('text/javascript'), textOf('text/css'))
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

/**
 * Bundles the verifier. Import it as a macro, so that a binary contains the result.
 *
 * @param file keeps the result until its inputs change
 */
export const buildVerifier = (file = `${root}node_modules/.cache/wattfeed/verifier`): string =>
  cachedText(file, () => hashInputs(root), runOwnBuild)

function runOwnBuild(): string {
  const [built] = runBuild(fileURLToPath(import.meta.url), root)
  if (built === undefined) throw new Error('the build printed no file')
  return built.text
}

if (import.meta.main) {
  const file = { name: 'wattfeed-verifier.html', type: 'text/html', text: await bundleVerifier() }
  console.log(JSON.stringify([file]))
}
