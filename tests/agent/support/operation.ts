import { createHash } from 'node:crypto'
import type { RpcOptions } from '../../../src/casper/rpc/rpc.ts'
import { openDeployment, readDeployment } from '../../../src/operator/contracts/deploymentFile.ts'
import type { Operation } from '../../../src/operator/contracts/operation.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../../../src/operator/contracts/payments.ts'
import { contractNames } from '../../../src/registry/installation.ts'
import { type ContractChain, type ContractChainOptions, createContractChain } from './contractChain.ts'
import { createFolder, type Folder, testSigner } from './keys.ts'
import { rpcOf } from './rpc.ts'

/** Writes a wasm for every contract, invented but with right checksums; `version` makes others. */
export function writeWasm(folder: Folder, version = 1): void {
  const sums = contractNames.map((name) => {
    const bytes = Buffer.from(`\0asm ${name} ${version}`)
    folder.write(`${name}.wasm`, bytes)
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}.wasm\n`
  })
  folder.write('SHA256SUMS', `# rustc 1.96\n${sums.join('')}`)
}

/** The SHA-256 of what {@link writeWasm} writes. */
export const wasmSha256 = (name: string, version = 1): string =>
  createHash('sha256').update(`\0asm ${name} ${version}`).digest('hex')

/** A chain, and everything that a command needs to work on it. */
export interface Bench extends Disposable {
  chain: ContractChain
  folder: Folder
  path: string
  progress: string[]
  /** Opens the deployment file anew, as another run of the program does. */
  open(changes?: Partial<Operation>): Promise<Operation>
  readFile(): ReturnType<typeof readDeployment>
}

export const START = 1_800_000_000_000

export async function createBench(
  options: Partial<ContractChainOptions> = {},
  rpcOptions: Partial<RpcOptions> = {},
): Promise<Bench> {
  const folder = createFolder()
  writeWasm(folder)
  const signer = await testSigner()
  const chain = createContractChain({
    publicKey: signer.publicKey,
    account: signer.accountHash,
    time: () => START,
    ...options,
  })
  const path = `${folder.path}/state/deployment.json`
  const progress: string[] = []
  let runs = 0
  return {
    chain,
    folder,
    path,
    progress,
    readFile: () => readDeployment(path),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
    async open(changes = {}) {
      // Else the same call in another run would be the same transaction.
      const now = START + runs++
      return {
        rpc: rpcOf(chain.answer, rpcOptions),
        signer,
        chainName: 'casper-net-1',
        packageHashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
        payments: { wasm: wasmPaymentMotes, call: wirePaymentMotes },
        wasmFolder: folder.path,
        path,
        deployment: await openDeployment(path, 'casper-net-1', signer),
        isDryRun: false,
        follow: { pollMs: 1, wait: async () => {}, now: () => now },
        onProgress: ({ pending: { step }, event }) =>
          progress.push(`${step.kind} ${step.contract}: ${event}`),
        ...changes,
      }
    },
  }
}
