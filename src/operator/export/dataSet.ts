import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { defineError, systemReason } from '@wattfeed/base'
import type { Snapshot, VerifyLevel } from 'wattfeed'
import { parsePackageHash } from 'wattfeed/internal'
import {
  DataSetError,
  digestOf,
  type ExportFormat,
  levelOf,
  MANIFEST,
  type Manifest,
  type Mark,
  readManifest,
  type StoredManifest,
} from './manifest.ts'
import { STAGING } from './staging.ts'

/** A data set was exported from another chain or other registries than the settings name. */
export const ExportChainError = defineError(
  'ExportChainError',
  'export_chain',
  (facts: {
    path: string
    rule: string
    /** Whether the node may only lag. */
    retryable: boolean
  }) => `${facts.path} ${facts.rule}`,
  { retryable: (facts) => facts.retryable },
)

/** The reads of an export, all at one state root. */
export type ExportedState = Pick<
  Snapshot,
  | 'stateRootHash'
  | 'verification'
  | 'getLogLengths'
  | 'feedCount'
  | 'feedIdAt'
  | 'getFeed'
  | 'getValueCount'
  | 'getValueAt'
>

/** The properties that all files of a data set share. */
export interface Common extends Pick<Manifest, 'chain_name' | 'registries' | 'format'> {
  readonly level: VerifyLevel
  /** Whether a file of the data set proves it. */
  readonly isProven: boolean
}

export interface DataSet extends Common {
  readonly out: string
  /** The manifest of the folder; null in an empty one. */
  readonly own: StoredManifest | null
  /** The manifest whose values are excluded. */
  readonly since: (StoredManifest & { readonly path: string }) | null
  /** The ids to export; null for all. */
  readonly selection: readonly string[] | null
}

/** @throws {InvalidArgumentError} unless the package hashes are some. */
export const commonOf = (
  options: {
    chainName: string
    feedRegistryPackageHash: string
    attestationRegistryPackageHash: string
    format: ExportFormat
  },
  { level, isProven }: Pick<Common, 'level' | 'isProven'>,
): Common => ({
  chain_name: options.chainName,
  registries: {
    FeedRegistry: parsePackageHash('feedRegistryPackageHash', options.feedRegistryPackageHash),
    AttestationRegistry: parsePackageHash(
      'attestationRegistryPackageHash',
      options.attestationRegistryPackageHash,
    ),
  },
  format: options.format,
  level,
  isProven,
})

/**
 * Reads the data set in the folder, and checks that an export may add to it.
 *
 * @param asked.since - path of a manifest
 * @param asked.feeds - null for those of the folder's manifest, or all
 * @throws {DataSetError} if the folder holds other files, or another kind of export.
 * @throws {ExportChainError} if it was exported from other registries.
 */
export async function openDataSet(
  out: string,
  common: Common,
  asked: { since: string | null; feeds: readonly string[] | null },
): Promise<DataSet> {
  const feeds = asked.feeds && [...new Set(asked.feeds)].sort()
  const ownPath = join(out, MANIFEST)
  const own = await readManifest(ownPath)
  if (own === null) await assertEmpty(out)
  const since = await readSince(asked.since, ownPath)
  if (own !== null) assertRegistries(ownPath, own.manifest, common)
  if (since !== null) assertRegistries(since.path, since.manifest, common)
  if (own !== null) assertSameKind(ownPath, own.manifest, { ...common, since, feeds })
  // A data set with `since` continues from its own start.
  return { ...common, out, own, since, selection: feeds ?? own?.manifest.selection ?? null }
}

async function assertEmpty(out: string): Promise<void> {
  const names = await readdir(out).catch((error: unknown): string[] => {
    if (systemReason(error) === 'ENOENT') return []
    throw error
  })
  // The staging folder shows that an export was interrupted.
  if (!names.includes(STAGING) && names.some((name) => !name.startsWith('.')))
    throw new DataSetError({
      path: out,
      rule: `contains files but no ${MANIFEST}; use an empty folder, or the folder of an export`,
    })
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([one, other].map((path) => realpath(path).catch(() => null)))
  return left !== null && left === right
}

/** Reads the manifest of `--since`; null without one, and for the folder's own, whose values stay. */
async function readSince(path: string | null, ownPath: string): Promise<DataSet['since']> {
  if (path === null || (await isSameFile(path, ownPath))) return null
  const stored = await readManifest(path)
  if (stored === null)
    throw new DataSetError({ path, rule: `does not exist; --since takes the ${MANIFEST} of an export` })
  return { ...stored, path }
}

function assertRegistries(path: string, { chain_name, registries }: Manifest, common: Common): void {
  if (
    chain_name === common.chain_name &&
    registries.FeedRegistry === common.registries.FeedRegistry &&
    registries.AttestationRegistry === common.registries.AttestationRegistry
  )
    return
  throw new ExportChainError({
    path,
    rule: `was exported from other registries (${chain_name}: ${registries.FeedRegistry}, ${registries.AttestationRegistry}); set CASPER_CHAIN_NAME and both package hashes to them, or export to another folder`,
    retryable: false,
  })
}

function assertSameKind(
  path: string,
  own: Manifest,
  asked: Common & Pick<DataSet, 'since'> & { feeds: readonly string[] | null },
): void {
  const { format, level, isProven, since, feeds } = asked
  const differ = (has: string, wanted: string): never => {
    throw new DataSetError({
      path,
      rule: `was exported with ${has}, not ${wanted}; export to another folder, or with ${has}`,
    })
  }
  if (own.format !== format) differ(`--format ${own.format}`, `--format ${format}`)
  if (levelOf(own) !== level) differ(`VERIFY=${levelOf(own)}`, `VERIFY=${level}`)
  if (own.proofs !== undefined && !isProven) differ('--proofs', 'without them')
  if (isProven && own.selection !== null)
    differ(`--feeds ${own.selection.join(' ')}`, 'all feeds, which --proofs needs')
  if (isProven && own.since !== null) differ('--since', 'all values, which --proofs needs')
  if (feeds !== null && JSON.stringify(own.selection) !== JSON.stringify(feeds))
    differ(
      own.selection === null ? 'all feeds' : `--feeds ${own.selection.join(' ')}`,
      `--feeds ${feeds.join(' ')}`,
    )
  if (since !== null && own.since?.sha256 !== since.sha256)
    differ(
      own.since === null ? 'all values' : `values since ${own.since.sha256}`,
      `values since ${since.sha256}`,
    )
}

/**
 * Checks that the chain still has the newest value of a manifest. Package hashes do not distinguish a development chain
 * from the same chain after a restart.
 *
 * @throws {ExportChainError}
 */
export async function assertSameChain(at: ExportedState, path: string, mark: Mark | null): Promise<void> {
  if (mark === null) return
  const value = await at.getValueAt(mark.feed_id, mark.index)
  const what = `value ${mark.index} of ${mark.feed_id}`
  if (value === null)
    throw new ExportChainError({
      path,
      rule: `contains ${what}, which the node does not have: the node is behind or on another chain; use another node, or export to another folder`,
      retryable: true,
    })
  if (digestOf(value) !== mark.sha256)
    throw new ExportChainError({
      path,
      rule: `was exported from another chain: ${what} differs on this one; export to another folder`,
      retryable: false,
    })
}
