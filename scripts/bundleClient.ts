import { fileURLToPath } from 'node:url'
import type { BuildOutput, BunPlugin } from 'bun'

const sourcePath = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

export interface BundleOptions {
  /** Output folder; nothing is written if undefined. */
  outdir?: string
  /** @default false */
  minify?: boolean
}

/**
 * Bundles `src/client` as ES modules for every runtime: `index.js`, one file with what it loads eagerly, and one with
 * the verification code, which is loaded on demand.
 */
export async function bundleClient({ outdir, minify = false }: BundleOptions = {}): Promise<BuildOutput> {
  const hashes = await bundleHashes()
  return Bun.build({
    entrypoints: [sourcePath('client/index.ts')],
    ...(outdir === undefined ? {} : { outdir }),
    minify,
    // The target `browser` adds half a kilobyte of preloading code. Nothing here is specific to a runtime.
    target: 'node',
    format: 'esm',
    splitting: true,
    throw: true,
    plugins: [ownHashes(hashes), oneFileAtOnce],
  })
}

const HASHES = 'wattfeed-hashes'

/**
 * Gives the library's own modules, eager or not, a small copy of BLAKE2b: Bun splits by whole modules, and the elliptic
 * curves, which are loaded later, use twice as many of the hashing library's utilities.
 */
const ownHashes = (contents: string): BunPlugin => ({
  name: 'own-hashes',
  setup(build) {
    const own = { path: HASHES, namespace: HASHES }
    build.onResolve({ filter: /^@noble\/hashes\/blake2\.js$/ }, () => own)
    build.onLoad({ filter: /./, namespace: HASHES }, () => ({ contents, loader: 'js' }))
  },
})

async function bundleHashes(): Promise<string> {
  const path = fileURLToPath(new URL('hashes.ts', import.meta.url))
  const plugins = [uncheckedHashes]
  const { outputs } = await Bun.build({
    entrypoints: [path],
    target: 'node',
    format: 'esm',
    throw: true,
    plugins,
  })
  return (await outputs[0]?.text()) ?? ''
}

/** Removes the argument checks from the hashing library, and from BLAKE2b what plain hashing does not need. */
const uncheckedHashes: BunPlugin = {
  name: 'unchecked-hashes',
  setup(build) {
    const path = fileURLToPath(new URL('hashUtils.ts', import.meta.url))
    build.onResolve({ filter: /^\.\/utils\.js$/ }, () => ({ path }))
    build.onLoad({ filter: /\/hashes\/blake2\.js$/ }, async ({ path }) => ({
      contents: plainBlake2b(await Bun.file(path).text()),
      loader: 'js',
    }))
  },
}

/** Removes key, salt, personalization and cloning from BLAKE2b: saves 0.3 kB gzipped. */
function plainBlake2b(source: string): string {
  const start = source.indexOf('export class _BLAKE2 ')
  const end = source.indexOf('export const blake2b')
  const unused = [
    / {8}if \((key|salt|personalization) !== undefined\) \{[\s\S]*?\n {8}\}\n/g,
    / {4}(_cloneInto|clone|destroy|set)\([^)]*\) \{[\s\S]*?\n {4}\}\n/g,
    / {8}(this\.destroy\(\)|let \{ key, .*|checkBlake2Opts\(.*\));\n/g,
  ]
  const classes = unused.reduce((text, pattern) => text.replaceAll(pattern, ''), source.slice(start, end))
  if (start < 0 || /\b(key|salt|personalization|_cloneInto|destroy)\b/.test(withoutComments(classes)))
    throw new Error('blake2.js has changed: check which parts are unused')
  return source.slice(0, start) + classes + source.slice(end)
}

const withoutComments = (source: string): string => source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

/** Puts all eager code into one file, which compresses better than two, by a pretended use in the verification code. */
const oneFileAtOnce: BunPlugin = {
  name: 'one-file-at-once',
  setup(build) {
    build.onLoad({ filter: /\/client\/verifiers\.ts$/ }, async ({ path }) => ({
      contents: `import { createClient } from './createClient.ts'
import { verifyFeedProof } from './verifyFeedProof.ts'
${await Bun.file(path).text()}
if (![createClient, verifyFeedProof].every((each) => typeof each === 'function')) throw new Error('the library is incomplete')`,
      loader: 'ts',
    }))
  },
}
