import { hash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { defineError } from '@wattfeed/base'
import type { Attestation } from 'wattfeed'
import type { verifyLevels } from 'wattfeed/internal'
import { printableJson } from '../../runtime/printable.ts'
import { checkJson, readTextFile } from '../../runtime/readJsonFile.ts'

/** The file that describes the other files of a data set. */
export const MANIFEST = '_manifest.json'

export const PROOF_FILE = '_proofs.jsonl'

export const exportFormats = ['parquet', 'csv'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** A folder or a manifest cannot be used for this export. Nothing was changed. */
export const DataSetError = defineError(
  'DataSetError',
  'data_set',
  (facts: { path: string; rule: string }) => `${facts.path} ${facts.rule}`,
)

const text = Type.String()
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', error: '64 hex digits' })
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([Type.Null(), schema])

const Mark = Type.Object({
  feed_id: text,
  index: count,
  attested_at: Type.Number(),
  /** The hash of {@link digestOf} the attestation. */
  sha256,
})

/** An attestation that identifies its chain. */
export type Mark = Static<typeof Mark>

/** A path relative to the manifest's folder, with `/`; never outside it. */
const PartPath = Type.String({
  pattern: '^feed_id=[^/\\\\]*/part-[0-9]+\\.(parquet|csv)$',
  error: 'feed_id=<id>/part-<number>.parquet or .csv',
})

export const DataFile = Type.Object({
  path: PartPath,
  from: count,
  to: count,
  rows: count,
  bytes: count,
  sha256,
  last: Mark,
})

export type DataFile = Static<typeof DataFile>

const ExportedFeed = Type.Object({
  feed_id: text,
  folder: text,
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  unit: text,
  /** Absent before layout 3. */
  route: Type.Optional(text),
  frequency: text,
  /** Index of the first value in the data set; 0 unless it contains only new values. */
  from: count,
  /** Number of values on chain, including those before `from`. */
  to: count,
  /** Whether the values since the other manifest replace what that one names. */
  replaces: Type.Boolean(),
  files: Type.Array(DataFile),
})

export type ExportedFeed = Static<typeof ExportedFeed>

const Verification = Type.Object({
  level: Type.Union([Type.Literal('proofs'), Type.Literal('full')]),
  /** Hashes of the blocks that the files were proven from; empty at `proofs`. */
  trusted_block_hashes: Type.Array(sha256),
  block_hash: sha256,
  block_height: count,
  block_timestamp: Type.Number(),
  era_id: count,
  weight_signed: text,
  weight_total: text,
})

/**
 * Version of the columns. Version 1 has `period_start` as text, and in CSV `attested_at` in milliseconds. Versions 1 and 2 have EIA's
 * date as `period_start`, which is the end of an hour or week, and no `period_end`.
 */
export const LAYOUT = 3

const Manifest = Type.Object({
  kind: Type.Literal('wattfeed export'),
  layout: Type.Integer({ minimum: 1, maximum: LAYOUT }),
  /** `f36.a1204`; null if the registries have no log. */
  version: nullable(text),
  state_root_hash: sha256,
  chain_name: text,
  registries: Type.Object({ FeedRegistry: sha256, AttestationRegistry: sha256 }),
  /** The newest attestation, which no other chain has; null if there is none. */
  newest: nullable(Mark),
  /** Null if the node was trusted. */
  verification: nullable(Verification),
  format: Type.Union(exportFormats.map((format) => Type.Literal(format))),
  /** The requested ids; null for all feeds. */
  selection: nullable(Type.Array(text)),
  /** The manifest whose values are excluded; null if all are included. */
  since: nullable(Type.Object({ sha256, version: nullable(text), state_root_hash: sha256 })),
  rows: count,
  bytes: count,
  /** The size and the hash of {@link PROOF_FILE}; absent without `--proofs`. */
  proofs: Type.Optional(Type.Object({ bytes: count, sha256 })),
  feeds: Type.Array(ExportedFeed),
})

/** The content of a data set, all at one state root. */
export type Manifest = Static<typeof Manifest>

/** Formats the fields that identify an attestation. */
export const digestOf = ({ period, amount, source_hash, attester, timestamp }: Attestation): string =>
  hash('sha256', JSON.stringify([period, String(amount), source_hash, attester, timestamp]))

export const countRows = (files: readonly DataFile[]): number =>
  files.reduce((sum, { rows }) => sum + rows, 0)

export const newerMark = (one: Mark | null, other: Mark | null): Mark | null =>
  one === null || (other !== null && other.attested_at >= one.attested_at) ? other : one

export const newestMark = (files: readonly DataFile[]): Mark | null =>
  files.reduce<Mark | null>((newest, { last }) => newerMark(newest, last), null)

export const levelOf = ({ verification }: Pick<Manifest, 'verification'>): (typeof verifyLevels)[number] =>
  verification?.level ?? 'off'

export const formatManifest = (manifest: Manifest): string =>
  printableJson(`${JSON.stringify(manifest, null, 1)}\n`)

export interface StoredManifest {
  readonly manifest: Manifest
  readonly sha256: string
}

/** Reads a manifest; null if there is no such file. @throws {DataSetError} if it is invalid. */
export async function readManifest(
  path: string,
  cure = 'name the _manifest.json that an export wrote',
): Promise<StoredManifest | null> {
  const rules = {
    schema: Manifest,
    kind: 'a manifest of an export',
    cure,
    fail: (rule: string) => new DataSetError({ path, rule }),
  }
  const text = await readTextFile(path, rules)
  return text === null ? null : { manifest: checkJson(text, rules), sha256: hash('sha256', text) }
}
