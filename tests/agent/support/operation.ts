import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { createSqliteStore, type SqliteStore } from '@wattfeed/casper/sqlite'
import { testSigner } from '@wattfeed/casper/testing/keys'
import type { Pending } from '@wattfeed/casper/transaction'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { RpcOptions } from '../../../packages/casper/src/rpc/rpc.ts'
import { contractNames } from '../../../packages/wattfeed/src/registry/installation.ts'
import { openState } from '../../../src/agent/state/openState.ts'
import {
  openDeployment,
  readDeployment,
  StepPurpose,
  stepPurposeOf,
} from '../../../src/operator/contracts/deploymentFile.ts'
import type { Operation } from '../../../src/operator/contracts/operation.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../../../src/operator/contracts/payments.ts'
import { readWasm, wasmFolder } from '../../../src/operator/contracts/wasmFile.ts'
import {
  type ContractsChain,
  type ContractsChainOptions,
  createContractsChain,
} from '../../operator/contracts/contractsChain.ts'

/** An empty custom section, which no node looks at. */
const section = Uint8Array.of(0, 1, 0)

/** Writes the contracts' wasm into a folder, with right checksums; `version` makes others that do the same. */
export async function writeWasm(folder: Folder, version = 1): Promise<void> {
  const sums: string[] = []
  for (const name of contractNames) {
    const { bytes } = await readWasm(wasmFolder, name)
    const changed = Buffer.concat([bytes, ...Array<Uint8Array>(version - 1).fill(section)])
    folder.write(`${name}.wasm`, changed)
    sums.push(`${createHash('sha256').update(changed).digest('hex')}  ${name}.wasm\n`)
  }
  folder.write('SHA256SUMS', `# rustc 1.96\n${sums.join('')}`)
}

/** A chain, and everything that a command needs to work on it. */
export interface Bench extends Disposable {
  chain: ContractsChain
  folder: Folder
  path: string
  progress: string[]
  /** Opens the deployment file anew, as another run of the program does. */
  open(changes?: Partial<Operation>): Promise<Operation>
  readFile(): ReturnType<typeof readDeployment>
  listPending(): Promise<readonly Pending[]>
}

export const START = 1_800_000_000_000

export async function createBench(
  options: Partial<ContractsChainOptions> = {},
  rpcOptions: Partial<RpcOptions> = {},
): Promise<Bench> {
  const folder = createFolder('in memory')
  const signer = await testSigner()
  const chain = await createContractsChain({ time: () => START, ...options })
  const path = `${folder.path}/state/deployment.json`
  const progress: string[] = []
  let runs = 0
  const opened = new DisposableStack()
  opened.use(folder)
  let run = new DisposableStack()
  opened.defer(() => run.dispose())
  const openStore = (isDryRun: boolean): SqliteStore => {
    const state = run.use(openState(dirname(path), { purpose: 'test', isDryRun }))
    const account = signer.accountHash
    const destination = { chainName: 'casper-net-1', contract: basename(path), account }
    return createSqliteStore({ state, destination, purpose: StepPurpose })
  }
  return {
    chain,
    folder,
    path,
    progress,
    readFile: () => readDeployment(path),
    listPending: async () => openStore(true).list(),
    [Symbol.dispose]: () => opened[Symbol.dispose](),
    async open(changes = {}) {
      // Else the same call in another run would be the same transaction.
      const now = START + runs++
      // The earlier run has ended, or was killed.
      run.dispose()
      run = new DisposableStack()
      return {
        rpc: rpcOf(chain.answer, rpcOptions),
        signer,
        chainName: 'casper-net-1',
        packageHashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
        payments: { wasm: wasmPaymentMotes, call: wirePaymentMotes },
        wasmFolder,
        path,
        store: openStore(changes.isDryRun ?? false),
        deployment: await openDeployment(path, 'casper-net-1', signer),
        isDryRun: false,
        pollMs: 1,
        wait: async () => {},
        now: () => now,
        onStep({ pending, step: reached }) {
          const { step } = stepPurposeOf(pending.purpose)
          progress.push(`${step.kind} ${step.contract}: ${reached}`)
        },
        ...changes,
      }
    },
  }
}
