import { join } from 'node:path'
import { createRpc, type Rpc } from '../../casper/rpc/rpc.ts'
import { type LoadedSigner, loadSigner } from '../../casper/transaction/signer.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { sumMotes } from '../amounts.ts'
import type { ContractsSettings } from '../contractsSettings.ts'
import { startWaiting } from '../progress.ts'
import { createStepStore, openDeployment } from './deploymentFile.ts'
import { deployedHashes, type Operation } from './operation.ts'
import type { WasmPayments } from './options.ts'
import { wirePaymentMotes } from './payments.ts'
import type { Report, StepReport } from './report.ts'

/** The options of the commands that write. */
export interface OperationOptions {
  /** Path of the deployment file. @default in the state folder, named after the chain */
  file?: string
  dryRun?: boolean
  wasm: string
  payment: WasmPayments
}

/** Returns the path of the deployment file. */
export function deploymentPath({ stateDir, chainName }: ContractsSettings, file?: string): string {
  return file ?? join(stateDir, `deployment-${chainName}.json`)
}

/** Prepares a command that writes: key, deployment file, node. No node is called yet. */
async function openOperation(
  settings: ContractsSettings,
  options: OperationOptions,
  onProgress: Operation['onProgress'],
): Promise<{ operation: Operation; warning: LoadedSigner['warning'] }> {
  const { signer, warning } = await loadSigner(settings.keyPath, settings.account)
  const { chainName, packageHashes, transactionTtlMs, gasPriceTolerance } = settings
  const path = deploymentPath(settings, options.file)
  const operation: Operation = {
    rpc: createContractsRpc(settings),
    transactionTtlMs,
    gasPriceTolerance,
    signer,
    chainName,
    packageHashes,
    payments: { wasm: options.payment, call: settings.callPaymentMotes ?? wirePaymentMotes },
    wasmFolder: options.wasm,
    path,
    store: createStepStore(path, chainName),
    deployment: await openDeployment(path, chainName, signer),
    isDryRun: options.dryRun ?? false,
    follow: {},
    onProgress,
  }
  return { operation, warning }
}

// A node returns an installation with its megabyte of wasm in hex.
const MAX_BODY_BYTES = 32 * 1024 * 1024

type NodeSettings = Pick<ContractsSettings, 'rpcUrls' | 'chainName' | 'timeoutMs' | 'concurrency'> &
  Partial<Pick<ContractsSettings, 'retryAfterMaxMs'>>

/** Creates the RPC to the nodes of the settings. */
export function createContractsRpc(settings: NodeSettings): Rpc {
  const { rpcUrls, chainName, timeoutMs, concurrency, retryAfterMaxMs } = settings
  return createRpc({
    urls: rpcUrls,
    chainName,
    fetch: (url, init) => fetch(url, init),
    timeoutMs,
    deadlineMs: 3 * timeoutMs,
    concurrency,
    maxBodyBytes: MAX_BODY_BYTES,
    retryAfterMaxMs,
    onCall: () => {},
  })
}

/** Receives what happens while a command runs. */
export interface Listener {
  warn: (message: string) => void
  progress: Operation['onProgress']
}

/** Runs a command that writes, and reports. Locks its deployment file unless it is a dry run, which writes nothing. */
export async function runOperation(
  command: string,
  settings: ContractsSettings,
  options: OperationOptions,
  work: (operation: Operation) => Promise<StepReport[]>,
  listener: Listener,
): Promise<Report> {
  const path = deploymentPath(settings, options.file)
  using _ = options.dryRun ? null : acquireLock(`${path}.lock`)
  const { operation, warning } = await openOperation(settings, options, (progress) => {
    waiting.note(progress)
    return listener.progress(progress)
  })
  if (warning !== null) listener.warn(warning)
  using waiting = startWaiting({ rpc: operation.rpc, say: listener.warn })
  const steps = await work(operation)
  return {
    command,
    chain_name: settings.chainName,
    account: operation.signer.accountHash,
    is_dry_run: operation.isDryRun,
    deployment_file: path,
    steps,
    ...sumMotes(steps),
    package_hashes: deployedHashes(operation.deployment),
  }
}
