/** Measures how long the embedded chain takes to start and install three contracts; prints the times as JSON. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { createDevnet } from '@wattfeed/casper-devnet'
import { contractNames, installArguments } from 'wattfeed/internal'
import {
  type SignedTransaction,
  signTransaction,
} from '../../packages/casper/src/transaction/signTransaction.ts'
import { wasmPaymentMotes } from '../../src/operator/contracts/payments.ts'
import { readWasm, wasmFolder } from '../../src/operator/contracts/wasmFile.ts'
import { createDevnetCall } from '../devnetCall.ts'
import { putTransaction } from '../devnetCaller.ts'

/** In milliseconds. */
export interface BootTimes {
  /** The first chain of a process, with cold code. */
  first: number
  /** The second chain. */
  next: number
}

async function loadFirstSigner(): Promise<Signer> {
  const directory = await mkdtemp(join(tmpdir(), 'wattfeed-bench-'))
  try {
    const keyPath = join(directory, 'secret_key.pem')
    await Bun.write(keyPath, createDevnet({ accounts: 1 }).accounts[0]?.secretKeyPem ?? '', { mode: 0o600 })
    return (await loadSigner(keyPath)).signer
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Reads and signs the wasm beforehand, to measure only the chain. */
async function signInstalls(signer: Signer): Promise<SignedTransaction[]> {
  const signed: SignedTransaction[] = []
  for (const name of contractNames)
    signed.push(
      await signTransaction(signer, {
        chainName: 'casper-devnet',
        target: { wasm: (await readWasm(wasmFolder, name)).bytes },
        args: installArguments(name, signer.accountHash),
        paymentMotes: wasmPaymentMotes[name],
        timestamp: Date.now(),
      }),
    )
  return signed
}

async function boot(installs: readonly SignedTransaction[]): Promise<number> {
  const start = performance.now()
  await using devnet = createDevnet({ accounts: 1 })
  for (const each of installs) await putTransaction(createDevnetCall(devnet), each)
  return performance.now() - start
}

const installs = await signInstalls(await loadFirstSigner())
const times: BootTimes = { first: await boot(installs), next: await boot(installs) }
console.log(JSON.stringify(times))
