import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StateFileError } from '@wattfeed/base/disk'
import { openEquivocators } from '../../../src/agent/committee/equivocators.ts'
import { importOldFiles } from '../../../src/agent/state/importOldFiles.ts'
import { openLostPeriods } from '../../../src/agent/state/lostPeriods.ts'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'
import { openSentLog } from '../../../src/agent/state/sentLog.ts'
import { readSettledBlocks } from '../../../src/agent/state/settledBlocks.ts'
import { createFolder, type Folder } from '../../support/folder.ts'
import { attestationOf } from '../run/fakes.ts'

const log = { warn: () => {} }
const CHAIN = 'casper-net-1'
const CONTRACT = 'ab'.repeat(32)
const { period, amount, source_hash } = attestationOf()
const value = { feed_id: 'EIA.A', period, amount: `${amount}`, source_hash }
const HASH = '1'.repeat(64)

/** Writes a file and its folders. */
function write({ path }: Folder, name: string, content: string): string {
  mkdirSync(dirname(`${path}/${name}`), { recursive: true })
  writeFileSync(`${path}/${name}`, content)
  return `${path}/${name}`
}

/** The files of an earlier version. */
function writeOldFiles(folder: Folder): void {
  write(
    folder,
    'newest.json',
    JSON.stringify({ 'EIA.A': { height: 5, before: 9 }, 'EIA.EARLY': 1_700_000_000_000 }),
  )
  write(
    folder,
    `gaps-${CHAIN}.json`,
    JSON.stringify({ 'EIA.A': { latest: 20261113, gaps: [20261110], lost: [20200103] } }),
  )
  const sent = [
    { since: 5 },
    { sent: HASH, attestations: [value, { ...value, feed_id: 'EIA.B' }] },
    { sent: '2'.repeat(64), attestations: [{ ...value, feed_id: 'EIA.C' }] },
    { void: '2'.repeat(64) },
    { checked: 'EIA.B', count: 3, found: [`${HASH} 1`] },
  ]
  write(folder, `sent-${CHAIN}.jsonl`, `${sent.map((line) => JSON.stringify(line)).join('\n')}\n{"sent":"b`)
  write(
    folder,
    `committee/${CHAIN}/${CONTRACT}/equivocations.jsonl`,
    `${JSON.stringify({ leader: 'account-hash-07', until: 99, evidence: [{}, {}] })}\n`,
  )
  write(folder, 'locks/newest.db', '')
}

function open(folder: Folder) {
  const file = openState(folder.path, { purpose: 'test' })
  const state = stateOf(file, { chainName: CHAIN, contract: CONTRACT, account: 'account-hash-01' })
  return { file, state, [Symbol.dispose]: () => file[Symbol.dispose]() }
}

/** What was imported, as the agent reads it. */
function imported({ state }: ReturnType<typeof open>) {
  const sent = openSentLog(state)
  const rows = state.file.database.query('SELECT transaction_hash, position, feed_id FROM sent_value').all()
  return {
    settled: [...readSettledBlocks(state)],
    lost: openLostPeriods(state, { warn: () => {} }, () => {}).list('EIA.A'),
    sent: [sent.since(), sent.countOf('EIA.B'), rows],
    refused: openEquivocators(state).refusedUntil('account-hash-07', 98),
    convictions: state.file.database.query('SELECT count(*) AS n FROM equivocation').get(),
  }
}

const expected = {
  settled: [['EIA.A', { height: 5, before: 9 }]],
  lost: [20200103],
  sent: [5, 3, [{ transaction_hash: HASH, position: 0, feed_id: 'EIA.A' }]],
  refused: 99,
  convictions: { n: 1 },
}

describe('importOldFiles', () => {
  test('default: what an earlier version knew, once; its files are renamed', () => {
    using folder = createFolder()
    writeOldFiles(folder)
    {
      using opened = open(folder)
      const warnings: unknown[] = []
      importOldFiles(opened.state, folder.path, { warn: (...warning) => void warnings.push(warning) })
      expect<unknown>(imported(opened)).toEqual(expected)
      expect(warnings).toEqual([
        [
          { path: `${folder.path}/sent-${CHAIN}.jsonl`, lines: [6] },
          'import of an old file skipped broken lines',
        ],
      ])
    }
    expect(
      ['newest.json', 'locks', `sent-${CHAIN}.jsonl`].some((name) => existsSync(`${folder.path}/${name}`)),
    ).toBe(false)
    expect(existsSync(`${folder.path}/newest.json.imported`)).toBe(true)
    using next = open(folder)
    importOldFiles(next.state, folder.path, log)
    expect<unknown>(imported(next)).toEqual(expected)
  })

  test('behavior: killed after an import and before the file is renamed: imported again, with the same result', () => {
    using folder = createFolder()
    writeOldFiles(folder)
    using opened = open(folder)
    importOldFiles(opened.state, folder.path, log)
    for (const name of ['newest.json', `gaps-${CHAIN}.json`, `sent-${CHAIN}.jsonl`])
      renameSync(`${folder.path}/${name}.imported`, `${folder.path}/${name}`)
    const convictions = `${folder.path}/committee/${CHAIN}/${CONTRACT}/equivocations.jsonl`
    renameSync(`${convictions}.imported`, convictions)
    importOldFiles(opened.state, folder.path, log)
    expect<unknown>(imported(opened)).toEqual(expected)
  })

  test.each([
    ['newest.json', '{"EIA.A":{"height":"5"}}', 'EIA.A'],
    ['newest.json', '{"EIA.A":', 'it is not JSON'],
    [`gaps-${CHAIN}.json`, '[]', 'object'],
  ])('error: a broken %s is named, and stays: %s', (name, content, fault) => {
    using folder = createFolder()
    const path = write(folder, name, content)
    using opened = open(folder)
    expect(() => importOldFiles(opened.state, folder.path, log)).toThrow(
      new RegExp(
        `^${path} is not a file that an earlier version of wattfeed wrote: .*${fault}.*; restore it from a backup or remove it$`,
      ),
    )
    expect(existsSync(path)).toBe(true)
  })
})

describe('a folder with transactions of an earlier version', () => {
  test.each([
    [`pending/${CHAIN}/${CONTRACT}/${HASH}.json`],
    [`committee/${CHAIN}/${CONTRACT}/approvals/${HASH}.json`],
  ])('error: %s: nothing is opened, and the message says what to do', (name) => {
    using folder = createFolder()
    const path = write(folder, name, '{}')
    expect(() => openState(folder.path, { purpose: 'test' })).toThrow(StateFileError)
    expect(() => openState(folder.path, { purpose: 'test' })).toThrow(
      `${path} is a transaction of an earlier version of wattfeed, and may still be executed`,
    )
    expect(existsSync(`${folder.path}/wattfeed.db`)).toBe(false)
  })

  test('behavior: how approvals ended is not one: a new member waits longer than they matter', () => {
    using folder = createFolder()
    write(folder, `committee/${CHAIN}/${CONTRACT}/ends/${HASH}.json`, '{}')
    using _ = open(folder)
  })
})
