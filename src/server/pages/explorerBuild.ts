import { fileURLToPath } from 'node:url'
import { type BuiltFile, bundleForBrowsers, runBuild } from '../../web/site/builtFile.ts'
import { ASSETS_PATH } from './builtAssets.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const bundlePages = (): Promise<BuiltFile[]> =>
  bundleForBrowsers({
    entrypoints: [`${root}src/web/explorer/index.html`],
    // File names depend on paths relative to the root.
    root,
    publicPath: ASSETS_PATH,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    splitting: true,
  })

/** The scripts of embedded charts share no files with the pages, so that the pages stay as they are. */
const bundleEmbed = (): Promise<BuiltFile[]> =>
  bundleForBrowsers({
    entrypoints: ['startEmbed', 'verifyEmbed'].map((name) => `${root}src/web/explorer/embed/${name}.ts`),
    root,
    publicPath: ASSETS_PATH,
    naming: { entry: '[name]-[hash].[ext]' },
  })

/** Bundles the explorer. Import it as a macro, so that a binary contains the result. The page is `index.html`. */
export const buildExplorer = (): BuiltFile[] => runBuild(fileURLToPath(import.meta.url), root)

if (import.meta.main) console.log(JSON.stringify([...(await bundlePages()), ...(await bundleEmbed())]))
