import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireLock, syncFolder } from '@wattfeed/base/disk'
import type { Rpc } from '@wattfeed/casper'
import type { VerifyLevel } from 'wattfeed'
import type { VerifiedChain } from 'wattfeed/internal'
import { commonOf, type ExportedState, openDataSet } from '../export/dataSet.ts'
import type { ExportReport } from '../export/exportReport.ts'
import { isIntact, sha256OfFile } from '../export/isIntact.ts'
import { MANIFEST, PROOF_FILE, readManifest } from '../export/manifest.ts'
import { type ExportOptions, runExport } from '../export/runExport.ts'
import { versionOf } from './readDataSet.ts'
import { type WrittenProof, writeProof } from './writeProof.ts'

export interface ProvenExportOptions extends Omit<ExportOptions, 'client' | 'feeds' | 'since' | 'proofs'> {
  readonly rpc: Rpc
  readonly chain: Pick<VerifiedChain, 'openProof'>
  readonly level: VerifyLevel
  /** Number of bytes to collect before they are written. @default 1 MiB */
  readonly partBytes?: number
}

/** The folder of a data set where its proof waits until the files are there, too. */
const FOLDER = '.proofs'

/**
 * Exports every value at one final block, and writes a file that proves the data set complete. The rows are made from the
 * proven values. After a crash, the next run resumes at the same block.
 *
 * @throws the errors of {@link runExport}
 * @throws {AbsenceNotProvenError} if a feed has no value, and nothing shows that.
 */
export async function runProvenExport(options: ProvenExportOptions): Promise<ExportReport> {
  const { out, level } = options
  const common = commonOf(options, { level, isProven: true })
  const whole = { since: null, feeds: null }
  // Checks the folder before anything is written to it.
  await openDataSet(out, common, whole)
  await mkdir(out, { recursive: true })
  using _ = acquireLock(join(out, '.proofs.lock'), 'export')
  await placeProof(out)
  const { own, chain_name, registries } = await openDataSet(out, common, whole)
  const startHash = options.trustedBlockHash?.toLowerCase() ?? null
  const folder = join(out, FOLDER)
  const proven = await writeProof({
    ...options,
    folder,
    trust: {
      chainName: chain_name,
      feedRegistryPackageHash: registries.FeedRegistry,
      attestationRegistryPackageHash: registries.AttestationRegistry,
    },
    startHash,
    purpose: JSON.stringify([chain_name, registries, level, startHash, own?.sha256 ?? null]),
  })
  const path = join(folder, PROOF_FILE)
  const proofs = { bytes: (await stat(path)).size, sha256: await sha256OfFile(path) }
  const client = { snapshot: async () => provenState(proven) }
  const report = await runExport({ ...options, client, ...whole, proofs })
  await placeProof(out)
  return report
}

/** Returns the content of a proof as the reads of an export, which call no node. */
function provenState({ dataSet, stateRootHash, verification }: WrittenProof): ExportedState {
  const { feeds } = dataSet
  const byId = new Map(feeds.map((feed) => [feed.feed_id, feed]))
  return {
    stateRootHash,
    verification,
    getLogLengths: async () => versionOf(dataSet),
    feedCount: async () => feeds.length,
    feedIdAt: async (index) => feeds[index]?.feed_id ?? null,
    getFeed: async (feedId) => byId.get(feedId) ?? null,
    getValueCount: async (feedId) => byId.get(feedId)?.values.length ?? 0,
    getValueAt: async (feedId, index) => byId.get(feedId)?.values[index] ?? null,
  }
}

/** Moves a complete proof into the data set, once the manifest names it. */
async function placeProof(out: string): Promise<void> {
  const location = join(out, FOLDER, PROOF_FILE)
  const proofs = (await readManifest(join(out, MANIFEST)))?.manifest.proofs
  if (proofs === undefined || !(await isIntact(location, proofs))) return
  await rename(location, join(out, PROOF_FILE))
  syncFolder(out)
  await rm(join(out, FOLDER), { recursive: true, force: true })
}
