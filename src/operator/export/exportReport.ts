import { join } from 'node:path'
import { printable } from '../../runtime/printable.ts'
import { plural } from '../plural.ts'
import { countRows, MANIFEST, type Manifest } from './manifest.ts'
import type { FeedPlan } from './plan.ts'
import type { StagedPart } from './staging.ts'

export interface ExportReport {
  readonly command: 'export'
  readonly manifest: string
  readonly version: string | null
  readonly state_root_hash: string
  readonly verification: Manifest['verification']
  readonly feeds: number
  readonly files: number
  readonly rows: number
  readonly bytes: number
  readonly new_files: number
  readonly new_rows: number
  /** Ids of feeds that were rewritten, because their files were no longer valid. */
  readonly rewritten: readonly string[]
}

export function reportOf(
  { version, state_root_hash, verification, feeds, rows, bytes }: Manifest,
  plans: readonly FeedPlan[],
  added: readonly StagedPart[],
  out: string,
): ExportReport {
  return {
    command: 'export',
    manifest: join(out, MANIFEST),
    version,
    state_root_hash,
    verification,
    feeds: feeds.length,
    files: feeds.reduce((sum, { files }) => sum + files.length, 0),
    rows,
    bytes,
    new_files: added.length,
    new_rows: countRows(added.map(({ file }) => file)),
    rewritten: plans.filter(({ isRewritten }) => isRewritten).map(({ feed }) => feed.feed_id),
  }
}

export function formatExport(report: ExportReport): string {
  const { manifest, version, state_root_hash, verification, rewritten } = report
  const { feeds, files, rows, new_rows, new_files } = report
  const lines = [
    `${plural(new_rows, 'new value')} in ${plural(new_files, 'new file')}; ${plural(rows, 'value')} of ${plural(feeds, 'feed')} in ${plural(files, 'file')} in all`,
    `state root ${state_root_hash}${version === null ? '' : `, version ${version}`}`,
  ]
  if (verification !== null)
    lines.push(
      `verified (${verification.level}) at block ${verification.block_height}, ${verification.block_hash}`,
    )
  if (rewritten.length > 0)
    lines.push(
      `rewritten, because decimals, route, frequency, files or the layout have changed: ${rewritten.map(printable).join(', ')}`,
    )
  return [...lines, `manifest ${manifest}`].join('\n')
}
