import { Type } from '@sinclair/typebox'
import { datasetFeedId, formatSeries, type Leaf, type Manifest, openSnapshot } from '@wattfeed/dataset'
import {
  type Comparison,
  compareSides,
  DifferenceTooLargeError,
  type Side,
  sideOfFiles,
} from '@wattfeed/dataset/compare'
import { Option } from 'commander'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import type { JsonOption, Program } from '../program.ts'
import { filesAt } from './snapshotPlace.ts'

/** Of one snapshot. */
const MAX_DIFFERING = 250_000

const help = `
Shows what EIA has revised, added and removed between two snapshots of a dataset. It reads the 32 bytes of each value's hash, and
only the values that differ, at most ${MAX_DIFFERING} of a snapshot. Nothing checks that the files have their roots: "datasets check" does.

With another number of periods, the oldest values of a snapshot are added or removed. For an earlier root in the archive, run
"datasets restore" first.

Examples:
  $ bun run datasets compare datasets/eia.dataset.petroleum.pri.spt.daily/<root> datasets/eia.dataset.petroleum.pri.spt.daily/<root>
  $ bun run datasets compare <folder> https://example.org/datasets/eia.dataset.petroleum.pri.spt.daily/<root> --limit 1000 --json`

interface Options extends JsonOption {
  limit: number
}

/** A snapshot of the two. */
interface Place {
  readonly manifest: Manifest
  readonly side: Side
}

/** The result of a comparison. */
interface Compared {
  readonly earlier: Manifest
  readonly later: Manifest
  readonly found: Comparison
}

export function addCompare(program: Program): void {
  const { terminal } = program
  program
    .add('compare', 'show which values differ between two snapshots of a dataset', help)
    .argument('<earlier>', 'the folder of a snapshot, or its URL')
    .argument('<later>', 'the same of another')
    .addOption(
      new Option('--limit <count>', 'how many of these values are shown')
        .default(20)
        .argParser(option(Type.Integer({ minimum: 0, maximum: MAX_DIFFERING }))),
    )
    .action((earlierPlace: string, laterPlace: string, { json, limit }: Options) =>
      terminal.run({ name: 'compare', json, exitCodeOf, leaves: 'nothing was changed' }, async () => {
        const open = (place: string, name: string) =>
          openPlace(place, name, (line) => terminal.progress(line))
        const earlier = await open(earlierPlace, 'the earlier snapshot')
        const later = await open(laterPlace, 'the later snapshot')
        assertSameDataset(earlier.manifest, later.manifest)
        const found = await compareSides(earlier.side, later.side, {
          maxListed: limit,
          maxDiffering: MAX_DIFFERING,
        })
        const compared = { earlier: earlier.manifest, later: later.manifest, found }
        const isSame = earlier.manifest.root === later.manifest.root
        return {
          report: reportOf(compared),
          text: formatCompared(compared),
          exitCode: isSame ? exitCodes.done : exitCodes.someFailed,
        }
      }),
    )
}

/** That too much differs is a result, not a failure of the command. */
const exitCodeOf = (error: unknown): number =>
  error instanceof DifferenceTooLargeError ? exitCodes.someFailed : exitCodes.notRun

/** @throws {SettingsError} if there is no snapshot. */
async function openPlace(place: string, name: string, tell: (line: string) => void): Promise<Place> {
  const files = filesAt(place)
  const snapshot = await openSnapshot(files)
  if (snapshot === null)
    throw new SettingsError({ faults: [`${name} is missing: its place has no manifest.json`] })
  const { manifest } = snapshot
  const onTile = (hashes: number, size: number) => tell(`${name}: ${hashes} of ${size} hashes read`)
  return { manifest, side: await sideOfFiles(files, manifest, { name, onTile }) }
}

function assertSameDataset(earlier: Manifest, later: Manifest): void {
  const [one, other] = [earlier, later].map(({ route, frequency }) => `${route} ${frequency}`)
  if (one !== other)
    throw new SettingsError({ faults: [`the snapshots are of two datasets: ${one}, and ${other}`] })
}

const manifestReport = ({ root, size, newestPeriod, retrievedAt }: Manifest) => ({
  ...{ root, size, newest_period: newestPeriod, retrieved_at: retrievedAt },
})

const valueReport = (leaf: Leaf | null) => leaf && { value: leaf.value, unit: leaf.unit }

function reportOf({ earlier, later, found }: Compared) {
  const { route, frequency } = earlier
  return {
    ...{ command: 'compare', feed_id: datasetFeedId(route, frequency), route, frequency },
    ...{ earlier: manifestReport(earlier), later: manifestReport(later) },
    ...{ revised: found.changed, added: found.onlyOther, removed: found.onlyOwn },
    items: found.first.map((each) => {
      const { column, facets, period } = each.key
      return { column, facets, period, earlier: valueReport(each.own), later: valueReport(each.other) }
    }),
  }
}

function formatCompared({ earlier, later, found }: Compared): string {
  const { changed, onlyOwn, onlyOther, first } = found
  const facts = formatTable([
    ['feed id', datasetFeedId(earlier.route, earlier.frequency)],
    ['earlier root', earlier.root],
    ['later root', later.root],
    ['revised', String(changed)],
    ['added', String(onlyOther)],
    ['removed', String(onlyOwn)],
  ])
  if (first.length === 0) return facts
  const rows = first.map(({ key, own, other }) => [
    ...[formatSeries(key), key.period, formatValue(own), '→', formatValue(other)],
  ])
  const left = changed + onlyOwn + onlyOther - first.length
  const more = left === 0 ? '' : `\n… and ${left} more; --limit shows them`
  return `${facts}\n\n${formatTable(rows)}${more}`
}

const formatValue = (leaf: Leaf | null): string =>
  leaf === null ? 'none' : [leaf.value ?? 'withheld', leaf.unit ?? ''].join(' ').trimEnd()
