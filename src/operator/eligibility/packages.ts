import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Type } from '@sinclair/typebox'
import { lazy } from '@wattfeed/base'
import { isFromSource } from '../../runtime/isFromSource.ts'
import { type Environment, parseSettings } from '../../runtime/settings/settings.ts'
import { path } from '../../runtime/settings/textTypes.ts'
import manifest from './prover/package.json' with { type: 'json' }
import { ProverError } from './proverError.ts'
import type { Point } from './publicKey.ts'

export interface Identity {
  readonly commitment: bigint
  readonly publicKey: Point
  readonly secretScalar: bigint
  /** The private key in base64. */
  export(): string
}

/** Semaphore's own tree, which is only as deep as its leaves need. */
export interface LeanTree {
  readonly root: bigint
  readonly depth: number
  indexOf(member: bigint): number
  generateMerkleProof(index: number): { index: number; siblings: bigint[] }
}

export interface MemoryFile {
  type: 'mem'
  data?: Uint8Array
}

/** A Groth16 proof as snarkjs writes it: decimal numbers, projective points. */
export interface SnarkjsProof {
  pi_a: string[]
  pi_b: string[][]
  pi_c: string[]
}

interface Prover {
  Identity: { new (): Identity; import(base64: string): Identity }
  Group: new (members: readonly bigint[]) => LeanTree
  poseidon2(inputs: readonly [bigint, bigint]): bigint
}

interface Snarkjs {
  curves: { getCurveFromName(name: 'bn128', options: { singleThread: boolean }): Promise<unknown> }
  wtns: { calculate(inputs: object, wasm: MemoryFile, witness: MemoryFile): Promise<void> }
  groth16: {
    prove(zkey: MemoryFile, witness: MemoryFile): Promise<{ proof: SnarkjsProof; publicSignals: string[] }>
  }
}

const toInstall = Object.entries(manifest.dependencies).map(([name, version]) => `${name}@${version}`)

/** The folder of a checkout with the packages' manifest and lock file, where they are installed. */
const sourcePath = 'src/operator/eligibility/prover'

export const proverSettings = Type.Object({
  PROVER_DIR: Type.Optional(
    path({
      description: `folder in which "npm install ${toInstall.join(' ')}" was run`,
      defaultText: isFromSource ? `${sourcePath}, installed on first use` : 'none',
    }),
  ),
})

/** The only folder that the packages are loaded from; {@link preparePackages} sets it. */
let folder = join(import.meta.dirname, 'prover')

export const isInstalled = (): boolean =>
  Object.keys(manifest.dependencies).every((name) => existsSync(join(folder, 'node_modules', name)))

/**
 * Makes sure that the packages, which are too large to bundle, can be loaded: from `PROVER_DIR` or, in a checkout, from the
 * folder `prover` beside this file. There the first use installs them, and says so by `say`.
 *
 * @throws {ProverError} if they are missing.
 */
export async function preparePackages(
  environment: Environment,
  say: (message: string) => void,
): Promise<void> {
  const { proverDir: named } = parseSettings(proverSettings, environment)
  if (named === null && isFromSource) return installPackages(say)
  folder = resolve(named ?? '.')
  if (named !== null && isInstalled()) return
  const fault =
    named === null ? 'PROVER_DIR is not set' : `PROVER_DIR is "${named}", which does not contain the packages`
  throw new ProverError({
    reason: 'packages',
    message: `${fault}; this program does not include the prover (250 MB): run "npm install ${toInstall.join(' ')}" in a folder of your own, and set PROVER_DIR to it`,
  })
}

async function installPackages(say: (message: string) => void): Promise<void> {
  if (isInstalled()) return
  say(`installing the prover into ${join(folder, 'node_modules')} (250 MB, once)`)
  const command = [process.execPath, 'install', '--frozen-lockfile', '--silent']
  const exitCode = await Bun.spawn(command, { cwd: folder, stdio: ['inherit', 'ignore', 'inherit'] }).exited
  if (exitCode !== 0 || !isInstalled())
    throw new ProverError({
      reason: 'packages',
      message: `the prover's packages could not be installed (exit code ${exitCode}); run bun install --cwd ${sourcePath}`,
    })
}

export const loadProver = lazy(() =>
  bundle<Prover>(`
    export { Identity } from '@semaphore-protocol/identity'
    export { Group } from '@semaphore-protocol/group'
    export { poseidon2 } from 'poseidon-lite'`),
)

export const loadSnarkjs = lazy(async () => {
  const loaded = await bundle<Snarkjs>(`export * from 'snarkjs'`)
  // snarkjs uses this curve instead of creating one with a thread per core, which would keep the process alive.
  const shared: Record<string, unknown> = globalThis
  shared.curve_bn128 ??= await loaded.curves.getCurveFromName('bn128', { singleThread: true })
  return loaded
})

const bundler = `const [entry, source] = process.argv.slice(1)
const { outputs } = await Bun.build({ entrypoints: [entry], files: { [entry]: source }, target: 'bun' })
process.stdout.write(await outputs[0].text())`

/**
 * Bundles packages in memory, because a compiled binary cannot import packages from disk. Another process does it:
 * Bun remembers each folder that it has read and finds nothing that was installed there later, not even by `Bun.build`.
 */
async function bundle<T>(source: string): Promise<T> {
  const { exited, stdout } = Bun.spawn([process.execPath, '-e', bundler, join(folder, 'entry.js'), source], {
    cwd: folder,
    // Makes a compiled binary behave as `bun`.
    env: { ...process.env, BUN_BE_BUN: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text, exitCode] = await Promise.all([new Response(stdout).text(), exited])
  if (exitCode !== 0)
    throw new ProverError({
      reason: 'packages',
      message: `the packages in ${folder} do not load (exit code ${exitCode}): remove its node_modules and install again`,
    })
  return await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
}

/** Depth of the trees of the circuit whose verification key the contract holds. */
export const DEPTH = 16

/** Returns the path of a parameter file of that circuit. */
export const artifactPath = (extension: 'json' | 'wasm' | 'zkey'): string =>
  join(folder, 'node_modules', '@zk-kit', 'semaphore-artifacts', `semaphore-${DEPTH}.${extension}`)
