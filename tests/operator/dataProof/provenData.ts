import { join } from 'node:path'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createLocalRpc, localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import type { RegistryChain } from 'wattfeed/testing/registryChain'
import { createAbsences } from '../../../packages/wattfeed/src/client/absences.ts'
import { createVerifiedChain } from '../../../packages/wattfeed/src/client/verifiedChain.ts'
import { checkDataProof, type DataProofCheck } from '../../../src/operator/dataProof/checkDataProof.ts'
import { type ProvenExportOptions, runProvenExport } from '../../../src/operator/dataProof/runProvenExport.ts'
import type { ExportReport } from '../../../src/operator/export/exportReport.ts'

/** A chain's settings, and a node of it. */
export type ProvenChain = Pick<
  RegistryChain,
  'chainName' | 'genesisHash' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash' | 'answer'
>

export interface ProvenExportChanges extends Partial<ProvenExportOptions> {
  /** The node's answers. */
  answer?: AnswerRpc
}

/** Exports from a chain in this process, with a proof from its first block on. */
export function exportProven(
  chain: ProvenChain,
  out: string,
  { answer = chain.answer, ...changes }: ProvenExportChanges = {},
): Promise<ExportReport> {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
  const rpc = createLocalRpc(answer, { chainName, fetch: localFetch(answer) })
  const verified = createVerifiedChain({
    rpc,
    chainName,
    verify: 'off',
    trustedBlockHash: null,
    maxHeadAgeMs: 1,
    maxCheckMs: 60_000,
    feedRegistryPackageHash: feedRegistryPackageHash.slice('hash-'.length),
    attestationRegistryPackageHash: attestationRegistryPackageHash.slice('hash-'.length),
    absences: createAbsences(false, undefined),
    now: Date.now,
    monotonic: () => performance.now(),
  })
  return runProvenExport({
    rpc,
    chain: verified,
    level: 'off',
    trustedBlockHash: chain.genesisHash,
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    concurrency: 16,
    out,
    format: 'parquet',
    progress: () => {},
    milestone: () => {},
    ...changes,
  })
}

export const proofPath = (out: string): string => join(out, '_proofs.jsonl')

/** Checks the proof of a data set from the chain's first block on. */
export const checkProven = (
  chain: ProvenChain,
  path: string,
  trust: Partial<Parameters<typeof checkDataProof>[0]['trust']> = {},
): Promise<DataProofCheck> =>
  checkDataProof({
    path,
    trust: {
      trustedBlockHash: chain.genesisHash,
      chainName: chain.chainName,
      feedRegistryPackageHash: chain.feedRegistryPackageHash,
      attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
      ...trust,
    },
    progress: () => {},
  })
