import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { parsePackageHash } from '../../client/argument.ts'
import type { VerifyLevel } from '../../client/verification.ts'
import type { VerifiedChain } from '../../client/verifiedChain.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { openDataSet } from '../export/dataSet.ts'
import { MANIFEST, PROOF_FILE, readManifest } from '../export/manifest.ts'
import { isIntact, sha256OfFile } from '../export/parts.ts'
import { type ExportOptions, type ExportReport, runExport } from '../export/runExport.ts'
import { type Disk, disk } from '../export/staging.ts'
import { provenState } from './provenState.ts'
import { writeProof } from './writeProof.ts'

export interface ProvenExportOptions extends Omit<ExportOptions, 'client' | 'feeds' | 'since' | 'proofs'> {
  readonly rpc: Rpc
  readonly chain: Pick<VerifiedChain, 'openProof'>
  readonly level: VerifyLevel
  /** Number of bytes to collect before they are written. @default 1 MiB */
  readonly flushBytes?: number
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
  const { out, format, level, chainName, files = disk, trustedBlockHash } = options
  const registries = {
    FeedRegistry: parsePackageHash('feedRegistryPackageHash', options.feedRegistryPackageHash),
    AttestationRegistry: parsePackageHash(
      'attestationRegistryPackageHash',
      options.attestationRegistryPackageHash,
    ),
  }
  const common = { chain_name: chainName, registries, format, level, isProven: true }
  // Checks the folder before anything is written to it.
  await openDataSet({ ...common, out, sincePath: null, feeds: null })
  await mkdir(out, { recursive: true })
  using _ = acquireLock(join(out, '.proofs.lock'), 'export')
  await placeProof(out, files)
  const { own } = await openDataSet({ ...common, out, sincePath: null, feeds: null })
  const from = trustedBlockHash?.toLowerCase() ?? null
  const folder = join(out, FOLDER)
  using proof = await writeProof({
    ...options,
    folder,
    trust: {
      chainName,
      feedRegistryPackageHash: registries.FeedRegistry,
      attestationRegistryPackageHash: registries.AttestationRegistry,
    },
    from,
    purpose: JSON.stringify([chainName, registries, level, from, own?.sha256 ?? null]),
    files,
  })
  const path = join(folder, PROOF_FILE)
  const proofs = { bytes: (await stat(path)).size, sha256: await sha256OfFile(path) }
  const at = provenState(proof, proof.verification)
  const client = { snapshot: async () => at }
  const report = await runExport({ ...options, client, feeds: null, since: null, proofs })
  await placeProof(out, files)
  return report
}

/** Moves a complete proof into the data set, once the manifest names it. */
async function placeProof(out: string, files: Disk): Promise<void> {
  const location = join(out, FOLDER, PROOF_FILE)
  const proofs = (await readManifest(join(out, MANIFEST)))?.manifest.proofs
  if (proofs === undefined || !(await isIntact({ location, file: proofs }))) return
  await files.move(location, join(out, PROOF_FILE))
  await files.sync(out)
  await files.remove(join(out, FOLDER))
}
