import type { DataSet, ExportedState } from './dataSet.ts'
import { countRows, LAYOUT, type Manifest, newerMark, newestMark, type StoredManifest } from './manifest.ts'
import type { FeedPlan } from './plan.ts'
import type { StagedPart } from './staging.ts'

export interface ManifestOptions {
  /** The block that verification starts from, at `full`. */
  readonly trustedBlockHash?: string | undefined
  /** The file that proves the data set, which is moved there afterwards. */
  readonly proofs?: Manifest['proofs']
}

/** Creates the manifest of a data set with the parts that were added. */
export function createManifest(
  plans: readonly FeedPlan[],
  added: readonly StagedPart[],
  context: { at: ExportedState; version: string | null; dataSet: DataSet; options: ManifestOptions },
): Manifest {
  const { at, version, dataSet, options } = context
  const { own, since, selection, chain_name, registries, format } = dataSet
  const addedTo = Map.groupBy(added, ({ feed_id }) => feed_id)
  const feeds = plans.map(({ exported }) => {
    const files = addedTo.get(exported.feed_id)?.map(({ file }) => file) ?? []
    return { ...exported, files: [...exported.files, ...files] }
  })
  const files = feeds.flatMap(({ files }) => files)
  const before = newerMark(own?.manifest.newest ?? null, since?.manifest.newest ?? null)
  return {
    kind: 'wattfeed export',
    layout: LAYOUT,
    version,
    state_root_hash: at.stateRootHash,
    chain_name,
    registries,
    newest: newerMark(before, newestMark(files)),
    verification: verificationOf(at, own?.manifest ?? null, options),
    format,
    selection: selection && [...selection],
    since: since ? summaryOf(since) : (own?.manifest.since ?? null),
    rows: countRows(files),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(options.proofs === undefined ? {} : { proofs: options.proofs }),
    feeds,
  }
}

function summaryOf({ sha256, manifest }: StoredManifest) {
  return { sha256, version: manifest.version, state_root_hash: manifest.state_root_hash }
}

function verificationOf(
  { verification }: ExportedState,
  own: Manifest | null,
  { trustedBlockHash }: ManifestOptions,
): Manifest['verification'] {
  if (verification === null) return null
  const before = own?.verification?.trusted_block_hashes ?? []
  const trusted = trustedBlockHash === undefined ? [] : [trustedBlockHash.toLowerCase()]
  return {
    level: verification.level,
    trusted_block_hashes: [...new Set([...before, ...trusted])],
    block_hash: verification.blockHash,
    block_height: verification.blockHeight,
    block_timestamp: verification.blockTimestamp,
    era_id: verification.eraId,
    weight_signed: verification.weightSigned.toString(),
    weight_total: verification.weightTotal.toString(),
  }
}
