import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ProverError } from './proverError.ts'

/** An identity of `@semaphore-protocol/identity`, as far as it is used. */
export interface Identity {
  readonly commitment: bigint
  readonly secretScalar: bigint
  /** The private key in base64. */
  export(): string
}

/** A tree of `@semaphore-protocol/group`, as far as it is used. */
export interface Group {
  readonly root: bigint
  readonly depth: number
  indexOf(member: bigint): number
  generateMerkleProof(index: number): { index: number; siblings: bigint[] }
}

/** A file in memory, as snarkjs takes and gives it. */
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

interface IdentityPackage {
  Identity: { new (): Identity; import(base64: string): Identity }
}

interface GroupPackage {
  Group: new (members: readonly bigint[]) => Group
}

interface SnarkjsPackage {
  curves: { getCurveFromName(name: 'bn128', options: { singleThread: boolean }): Promise<unknown> }
  wtns: { calculate(inputs: object, wasm: MemoryFile, witness: MemoryFile): Promise<void> }
  groth16: {
    prove(zkey: MemoryFile, witness: MemoryFile): Promise<{ proof: SnarkjsProof; publicSignals: string[] }>
    verify(key: unknown, publicSignals: readonly string[], proof: SnarkjsProof): Promise<boolean>
  }
}

const folder = import.meta.dirname

/** Whether the packages of this folder are installed. */
export const isInstalled = (): boolean => existsSync(join(folder, 'node_modules', 'snarkjs'))

/**
 * Installs the packages of this folder where they are not there yet, and says so: they are large, and only those
 * who prove something need them. Then the program starts again and this does not return, because a running Bun does
 * not find what was not there before.
 */
export async function installPackages(say: (message: string) => void): Promise<void> {
  if (isInstalled()) return
  say(`installing the prover into ${join(folder, 'node_modules')} (250 MB, once)`)
  const exitCode = await runBun(['install', '--frozen-lockfile', '--silent'], folder, 'ignore')
  if (exitCode !== 0 || !isInstalled())
    throw new ProverError(
      'packages',
      `the prover's packages could not be installed (exit code ${exitCode}); run bun install --cwd contracts/prover`,
    )
  process.exit(await runBun(process.argv.slice(1), process.cwd(), 'inherit'))
}

const runBun = (args: string[], cwd: string, stdout: 'ignore' | 'inherit'): Promise<number> =>
  Bun.spawn([process.execPath, ...args], { cwd, stdio: ['inherit', stdout, 'inherit'] }).exited

export const loadIdentity = (): Promise<IdentityPackage> => load('@semaphore-protocol/identity')

export const loadGroup = (): Promise<GroupPackage> => load('@semaphore-protocol/group')

/** snarkjs, kept from starting threads: they outlive the work and keep the process from ending. */
export async function loadSnarkjs(): Promise<SnarkjsPackage> {
  const snarkjs = await load<SnarkjsPackage>('snarkjs')
  // The place where it looks for a curve before it makes one with a thread for every core.
  const shared: Record<string, unknown> = globalThis
  shared.curve_bn128 ??= await snarkjs.curves.getCurveFromName('bn128', { singleThread: true })
  return snarkjs
}

/** Path of a file with the parameters for trees of depth 16. */
export const artifactPath = (extension: 'json' | 'wasm' | 'zkey'): string =>
  join(folder, 'node_modules', '@zk-kit', 'semaphore-artifacts', `semaphore-16.${extension}`)

/** The name stays out of reach of the type checker, which works where the packages are not installed, too. */
const load = <T>(name: string): Promise<T> => import(name)
