/** Writes or checks the proof of a whole data set; prints the result as JSON. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { checkDataProof } from '../../src/operator/dataProof/checkDataProof.ts'
import { runProvenExport } from '../../src/operator/dataProof/runProvenExport.ts'
import { openRpc, openVerifiedChain } from '../../src/operator/open.ts'
import { clientOptions } from '../../src/runtime/settings/readerSettings.ts'
import { peakMegabytes } from '../rss.ts'
import type { ProvenChainInfo } from './provenChain.ts'

export interface DataProofMeasurement {
  /** Size of the proof. */
  bytes: number
  seconds: number
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const [action = '', out = '', text = '{}'] = process.argv.slice(2)
const chain: ProvenChainInfo = JSON.parse(text)
const quiet = { progress: () => {}, milestone: () => {} }

async function write(): Promise<void> {
  const settings = {
    casperRpcUrl: [chain.url],
    casperRpcAuthorization: null,
    casperChainName: chain.chainName,
    feedRegistryPackageHash: chain.feedRegistryPackageHash,
    attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
    rpcTimeoutMs: 10_000,
    rpcRetryAfterMaxMs: 0,
    rpcConcurrency: 128,
    verify: 'full' as const,
    trustedBlockHash: chain.genesisHash,
    maxHeadAgeMs: 300_000,
    requireAbsenceProof: false,
    checkpointFile: null,
  }
  const rpc = openRpc(settings)
  const verified = openVerifiedChain(settings, rpc)
  await runProvenExport({
    ...clientOptions(settings),
    ...quiet,
    rpc,
    chain: verified,
    level: 'full',
    out,
    format: 'parquet',
  })
}

async function check(): Promise<void> {
  const trust = { ...chain, trustedBlockHash: chain.genesisHash }
  const { dataSet, links } = await checkDataProof({ path: join(out, '_proofs.jsonl'), trust, ...quiet })
  if (dataSet === null) throw new Error(JSON.stringify(links.at(-1)))
}

const start = performance.now()
await (action === 'write' ? write() : check())
const measurement: DataProofMeasurement = {
  bytes: statSync(join(out, '_proofs.jsonl')).size,
  seconds: (performance.now() - start) / 1_000,
  maxRssMb: await peakMegabytes(process.pid),
}
console.log(JSON.stringify(measurement))
