import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { parquetReadObjects } from 'hyparquet'
import { type ChainInProcess, localClient } from 'wattfeed/testing/localClient'
import { modelRows } from 'wattfeed/testing/plainModel'
import type { Client } from '../../../packages/wattfeed/src/client/createClient.ts'
import type { ExportReport } from '../../../src/operator/export/exportReport.ts'
import type { Manifest } from '../../../src/operator/export/manifest.ts'
import { type ExportOptions, runExport } from '../../../src/operator/export/runExport.ts'

/** A folder to export to that does not exist yet. */
export function createOut(): Disposable & { path: string } {
  const folder = createFolder()
  return { path: join(folder.path, 'data'), [Symbol.dispose]: folder[Symbol.dispose] }
}

/** Exports from a chain in this process. */
export function exportFrom(
  chain: ChainInProcess,
  out: string,
  options: Partial<ExportOptions> = {},
): Promise<ExportReport> {
  return runExport({
    client: localClient(chain).client,
    chainName: chain.chainName,
    feedRegistryPackageHash: chain.feedRegistryPackageHash,
    attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
    concurrency: 16,
    out,
    format: 'parquet',
    feeds: null,
    since: null,
    progress: () => {},
    milestone: () => {},
    ...options,
  })
}

export const manifestOf = (out: string): Manifest =>
  JSON.parse(readFileSync(join(out, '_manifest.json'), 'utf8'))

/** Every file in a folder that matches a glob, with its path in the folder. */
export const filesOf = (out: string): string[] =>
  readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1))
    .sort()

/** The contents of a row as text, equal for both formats and the model. */
export interface PlainRow {
  index: number
  period: number
  amount: string
  value: number
  revision: number
  attester: string
}

/** Reads the table like its users: all parts by the glob, in order. */
export async function readTable(out: string): Promise<Record<string, PlainRow[]>> {
  const table: Record<string, PlainRow[]> = {}
  for (const path of filesOf(out).filter((path) => /^feed_id=.*\.(parquet|csv)$/.test(path))) {
    const [folder = ''] = path.split('/')
    const rows = await readRows(join(out, path))
    const id = decodeURIComponent(folder.slice('feed_id='.length))
    table[id] = [...(table[id] ?? []), ...rows]
  }
  return table
}

async function readRows(path: string): Promise<PlainRow[]> {
  const content = readFileSync(path)
  const rows = path.endsWith('.csv') ? parseCsv(content.toString()) : await parseParquet(content)
  return rows.map(({ index, period, amount, value, revision, attester }) => ({
    index: Number(index),
    period: Number(period),
    amount: String(amount),
    value: Number(value),
    revision: Number(revision),
    attester: String(attester),
  }))
}

function parseCsv(text: string): Record<string, unknown>[] {
  const [head = '', ...lines] = text.trimEnd().split('\r\n')
  const names = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])))
}

const parseParquet = (content: Buffer): Promise<Record<string, unknown>[]> => {
  const bytes = new Uint8Array(content)
  return parquetReadObjects({
    file: { byteLength: bytes.length, slice: (start, end) => bytes.slice(start, end).buffer },
  })
}

/** The chain's data, row by row. */
export async function modelTable(client: Client): Promise<Record<string, PlainRow[]>> {
  const table: Record<string, PlainRow[]> = {}
  for (const id of await client.listFeedIds()) {
    const decimals = (await client.getFeed(id))?.decimals ?? 0
    const rows = modelRows(await client.getValueHistory(id))
    if (rows.length > 0)
      table[id] = rows.map(({ index, period, amount, revision, attester }) => ({
        index,
        period,
        amount: String(amount),
        value: Number(`${amount}e-${decimals}`),
        revision,
        attester,
      }))
  }
  return table
}
