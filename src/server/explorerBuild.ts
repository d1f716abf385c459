import { fileURLToPath } from 'node:url'
import { type BuiltFile, bundleForBrowsers, runBuild } from '../site/builtFile.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const bundle = (): Promise<BuiltFile[]> =>
  bundleForBrowsers({
    entrypoints: [`${root}src/explorer/index.html`],
    // File names depend on paths relative to the root.
    root,
    publicPath: '/explorer/assets/',
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    splitting: true,
  })

/** Bundles the explorer. Import it as a macro, so that a binary contains the result. The page is `index.html`. */
export const buildExplorer = (): BuiltFile[] => runBuild(fileURLToPath(import.meta.url), root)

if (import.meta.main) console.log(JSON.stringify(await bundle()))
