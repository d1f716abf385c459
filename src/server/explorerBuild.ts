import { fileURLToPath } from 'node:url'

/** A file of the explorer as served. */
export interface ExplorerFile {
  /** File name, such as `main-8fk2x0s1.js`. The page is `index.html`. */
  name: string
  /** The media type. */
  type: string
  text: string
}

/** URL path of scripts and styles. */
const ASSETS_PATH = '/explorer/assets/'

const source = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

async function bundle(): Promise<ExplorerFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [source('explorer/index.html')],
    // File names depend on paths relative to the root.
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
 * Bundles the explorer. Import it as a macro, so that a binary contains the result.
 *
 * It runs in its own process, because a macro cannot wait for the bundler that runs it. The process has a fixed environment
 * and folder, because the output depends on them.
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
