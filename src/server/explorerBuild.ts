import { fileURLToPath } from 'node:url'

/** A file of the explorer, as browsers get it. */
export interface ExplorerFile {
  /** `main-8fk2x0s1.js`; the page is `index.html`. */
  name: string
  /** The media type. */
  type: string
  text: string
}

/** Where the page finds its scripts and styles. */
const ASSETS_PATH = '/explorer/assets/'

const source = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

async function bundle(): Promise<ExplorerFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [source('explorer/index.html')],
    // Names follow from paths below it, too.
    root: source('..'),
    publicPath: ASSETS_PATH,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    target: 'browser',
    splitting: true,
    minify: true,
    throw: true,
  })
  const files = outputs.map(async (file) => ({
    name: file.path.replace(/^\.?\//, ''),
    type: file.type,
    text: await file.text(),
  }))
  return Promise.all(files)
}

/**
 * Bundles the explorer; imported as a macro, so that a binary holds the result.
 *
 * In a process of its own, since a bundler cannot wait for itself, and with one environment and folder, since the bundler
 * follows them: so the files are the same from source and in every binary.
 */
export function buildExplorer(): ExplorerFile[] {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, fileURLToPath(import.meta.url)], {
    cwd: source('..'),
    env: { NODE_ENV: 'production' },
  })
  if (!success) throw new Error(`cannot build the explorer: ${stderr}`)
  return JSON.parse(stdout.toString())
}

if (import.meta.main) console.log(JSON.stringify(await bundle()))
