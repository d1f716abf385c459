import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { systemReason, writeCure } from '@wattfeed/base'
import { StateFileError } from '@wattfeed/base/disk'
import { datasetFeedId, filesBelow, httpFiles, openSnapshot, type SnapshotFiles } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { type Command, Option } from 'commander'
import type { Client, FeedProof } from 'wattfeed'
import { type DatasetSeries, SeriesQueryError, type Snapshot } from 'wattfeed/series'
import { moment } from '../../runtime/settings/moment.ts'
import { option, parseSecretOption } from '../../runtime/settings/option.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import { blockHash, httpUrl } from '../../runtime/settings/textTypes.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import { isUrl } from '../datasets/snapshotPlace.ts'
import { parseFacet } from '../parseFacet.ts'
import type { JsonOption, Program } from '../program.ts'

/** The options that name a dataset, its root and its files. */
export interface DatasetCommandOptions extends JsonOption {
  frequency: string
  files: string
  /** In epoch milliseconds. */
  asOf?: number
}

/** The options that name a series of it. */
export interface KeyOptions {
  column: string
  facet: Readonly<Record<string, string>>
}

/** The options that name a series, and its proof. */
export interface SeriesCommandOptions extends DatasetCommandOptions, KeyOptions {
  proof?: string
  trust?: string
}

/** What a member of a query is called in a command. */
const optionNames: Readonly<Record<SeriesQueryError['member'], string>> = {
  ...{
    route: '<route>',
    frequency: '--frequency',
    column: '--column',
    facets: '--facet',
    period: '--period',
  },
  ...{ period_from: '--from', period_to: '--to', sort: '--sort', index: '--as-of' },
}

/** Runs a command that writes nothing but files. An error of its query names the option. */
export const runQuery = (
  { terminal }: Pick<Program, 'terminal'>,
  { name, json }: { name: string; json: boolean | undefined },
  work: () => Promise<CommandResult>,
): Promise<void> =>
  terminal.run({ name, json, leaves: 'nothing was written' }, () =>
    work().catch((error) => {
      if (!(error instanceof SeriesQueryError)) throw error
      const { member, facet, rule } = error
      throw new SettingsError({
        faults: [`${optionNames[member]}${facet === null ? '' : ` ${facet}`}: ${rule}`],
      })
    }),
  )

/** Adds what names a dataset and its files. */
export const addPlaceOptions = (command: Command): Command =>
  command
    .argument('<route>', 'a dataset: its route at EIA')
    .requiredOption('--frequency <frequency>', 'one of the dataset’s')
    .requiredOption('--files <place>', 'folder or URL of snapshots, as in the server’s setting DATASETS')

/** Adds what also names its root. */
export const addDatasetOptions = (command: Command): Command =>
  addPlaceOptions(command).option(
    '--as-of <time>',
    'by the newest root that was attested up to then: 2026-11-20, or a time with its zone',
    option(moment()),
  )

/** Adds what names a series of a dataset. */
export const addKeyOptions = (command: Command): Command =>
  command
    .requiredOption('--column <column>', 'one of the dataset’s')
    .addOption(
      new Option(
        '--facet <id=value>',
        'the code of a facet; repeat it for each facet, with an empty value where rows have none',
      )
        .argParser((text, facets: SeriesCommandOptions['facet']) =>
          parseFacet(text, facets, { allowsEmpty: true }),
        )
        .default({}, 'none'),
    )

/** Adds what all commands of a series take that can be proven. */
export const addSeriesOptions = (command: Command): Command =>
  addKeyOptions(addDatasetOptions(command))
    .option('--proof <file>', 'also write the proof, which "verify" checks; needs --trust')
    .option(
      '--trust <block hash>',
      'a switch block that you trust, at which the proof starts',
      option(blockHash()),
    )

/** Returns the series that options name. A facet with an empty value is one that its rows do not have. */
export const seriesOf = (
  route: string,
  { frequency, column, facet }: KeyOptions & Pick<DatasetCommandOptions, 'frequency'>,
): DatasetSeries => ({
  route,
  frequency,
  column,
  facets: Object.fromEntries(Object.entries(facet).map(([id, value]) => [id, value === '' ? null : value])),
})

/** The part of a request that names its root. */
export const rootOptions = ({ asOf }: DatasetCommandOptions) => (asOf === undefined ? {} : { as_of: asOf })

/**
 * Opens the snapshots of a dataset in a place that has a folder for each feed.
 *
 * @throws {SettingsError} for a malformed URL, and for a folder that does not exist.
 */
export function openFiles(
  place: string,
  { route, frequency }: Pick<DatasetSeries, 'route' | 'frequency'>,
): SnapshotFiles {
  const files = isUrl(place)
    ? httpFiles(parseSecretOption('--files', httpUrl(), place))
    : folderFiles(assertFolder(place))
  return filesBelow(files, datasetFeedId(route, frequency).toLowerCase())
}

function assertFolder(place: string): string {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) return place
  throw new SettingsError({
    faults: [
      `--files ${JSON.stringify(place)}: there is no such folder; name the one with a folder for each dataset, as "datasets snapshot" writes them`,
    ],
  })
}

/** @throws {SettingsError} if only one of `--proof` and `--trust` is there. Called before anything is read. */
export function assertProvable({ proof, trust }: SeriesCommandOptions): void {
  if ((proof === undefined) !== (trust === undefined))
    throw new SettingsError({
      faults: ['--proof and --trust go together: a proof starts at a block that its reader trusts'],
    })
}

/** The answer that a proof is of. */
export interface Proven {
  readonly feed_id: string
  readonly root: string
  /** Index of the attestation of the root. */
  readonly index: number
}

/** Writes the proof of an answer, if one is asked for, to a new or existing file. */
export async function writeProof(
  { feed_id, root, index }: Proven,
  {
    client,
    files,
    options: { proof: path, trust },
    prove,
  }: {
    client: Client
    files: SnapshotFiles
    options: SeriesCommandOptions
    prove: (parts: { root: FeedProof; snapshot: Snapshot }) => Promise<object>
  },
): Promise<void> {
  if (path === undefined || trust === undefined) return
  const [proofOfRoot, snapshot] = await Promise.all([
    client.getFeedProof(feed_id, { from: trust, index }),
    openSnapshot(filesBelow(files, root)),
  ])
  if (proofOfRoot === null || snapshot === null)
    throw new SettingsError({ faults: [`the root ${root} is no longer there; run the command again`] })
  await writeOut(path, `${JSON.stringify(await prove({ root: proofOfRoot, snapshot }))}\n`)
}

/** Writes a new or existing file. @throws {StateFileError} */
export async function writeOut(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content)
  } catch (error) {
    const reason = systemReason(error)
    throw new StateFileError({ path, rule: `cannot be written (${reason}): ${writeCure(reason)}` })
  }
}
