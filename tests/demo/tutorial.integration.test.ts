import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadSigner } from '@wattfeed/casper/transaction'
import type { FeedConfig } from '../../src/agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../src/agent/feeds/loadFeeds.ts'
import { estimateCosts } from '../../src/operator/feeds/costs.ts'
import { hasBrowser } from '../support/browser.ts'
import { callRpc } from '../support/callRpc.ts'
import { createFolder, type Folder } from '../support/folder.ts'
import { type Ended, runToEnd } from '../support/program.ts'
import { readPage } from '../support/snippets.ts'
import { openPage } from '../web/explorer/support/openPage.ts'
import { type Demo, startDemo, urlsIn } from './demoProcess.ts'

const root = join(import.meta.dir, '../..')
/** The balance that accounts of the demo start with. */
const ACCOUNT_MOTES = 1_000_000_000_000_000_000n

const FEED = 'EIA.ELEC.RETAIL.PRICE.TX_RES.MONTHLY'
const page = readPage('docs/agent.md')

/** The blocks of the part about the demo, without the one that starts it. */
function tutorialBlocks(): string[] {
  const [, part = ''] = /^## On the demo$(.*?)^## On the test network$/ms.exec(page) ?? []
  const [start, ...blocks] = [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  expect(start).toEndWith('bun run demo\n')
  return blocks
}

/** A folder like a fresh clone. */
function createClone(): Folder {
  const folder = createFolder()
  for (const name of readdirSync(root))
    if (name !== '.git' && name !== '.wattfeed') symlinkSync(join(root, name), join(folder.path, name))
  return folder
}

describe('docs/agent.md on the demo', () => {
  let demo: Demo
  let folder: Folder
  let url: string
  let settings: Readonly<Record<string, string>>
  let atStart: bigint
  let ran: Ended

  const readBalance = async (): Promise<bigint> => {
    const { signer } = await loadSigner(settings.ATTESTER_KEY_PATH ?? '')
    const identifier = { main_purse_under_account_hash: signer.accountHash }
    const { result } = Object(
      await callRpc(settings.CASPER_RPC_URL ?? '', 'query_balance', { purse_identifier: identifier }),
    )
    return BigInt(result.balance)
  }

  beforeAll(async () => {
    demo = startDemo()
    const announcement = await demo.announcement
    url = urlsIn(announcement)[0] ?? ''
    const exports = announcement.match(/^ {2}export .*$/gm) ?? []
    settings = Object.fromEntries(exports.map((line) => line.replace(/^ {2}export /, '').split(/=(.*)/s)))
    atStart = await readBalance()
    folder = createClone()
    const script = [
      // If a command fails, the agent must not outlive the shell.
      "set -e; trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT",
      ...exports,
      ...tutorialBlocks().map((block) => block.replaceAll('http://localhost:4030', url)),
    ].join('\n')
    const { host } = new URL(url)
    // The page's port, and the agent's, may be in use.
    ran = await runToEnd(
      ['bash', '-c', script.replaceAll('localhost:4030', host)],
      { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, AGENT_PORT: '0' },
      folder.path,
    )
  })

  afterAll(async () => {
    await demo?.[Symbol.asyncDispose]()
    folder?.[Symbol.dispose]()
  })

  test('default: every command succeeds', () => {
    expect([ran.exitCode, ran.exitCode === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toContain(`${FEED}  right  `)
    expect(ran.stdout).toMatch(
      new RegExp(`^${FEED} +new-period .* cents per kilowatt-hour +[0-9a-f]{64}$`, 'm'),
    )
  })

  test('behavior: the output is about one feed of one’s own', () => {
    expect(ran.stdout).toContain('\n1 feed, 0.0329 values a day')
    expect(ran.stderr).toContain('(1 is already on chain)')
    expect(ran.stdout).not.toContain('docs/units.md')
  })

  test('default: the feed has a value', async () => {
    const feed = await (await fetch(`${url}/v1/feeds/${FEED}`)).json()
    expect(feed).toMatchObject({ feed_id: FEED, unit: 'cents/kWh', decimals: 6 })
    expect(Object(feed).value).toBeGreaterThan(0)
  })

  test('default: the feed has a chart of the past', async () => {
    const answer = await fetch(`${url}/embed/feeds/${FEED}`)
    const chart = await answer.text()
    expect([answer.status, chart.includes('<svg')]).toEqual([200, true])
    const history = await (await fetch(`${url}/v1/feeds/${FEED}/history?vintages=latest`)).json()
    const periods = Object(history).items.map(({ period }: { period: number }) => period)
    expect(periods.length).toBeGreaterThan(11)
    expect(periods).toContain(202509)
  })

  test('default: the value is proven from the chain’s first block', async () => {
    const { exitCode, stdout } = await runToEnd([
      ...[process.execPath, join(root, 'src/index.ts'), 'verify', `${url}/v1/feeds/${FEED}/proof`],
      ...['--trust', settings.GENESIS_HASH ?? '', '--chain-name', settings.CASPER_CHAIN_NAME ?? ''],
      ...['--feed-registry', settings.FEED_REGISTRY_PACKAGE_HASH ?? ''],
      ...['--attestation-registry', settings.ATTESTATION_REGISTRY_PACKAGE_HASH ?? ''],
    ])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`proven: ${FEED} = `)])
  })

  test.skipIf(!hasBrowser)('default: the printed address leads to a green padlock', async () => {
    const address =
      new RegExp(`http://[\\w.:]+/explorer/feeds/${FEED}#proof\\S+$`, 'm').exec(ran.stdout)?.[0] ?? ''
    await using opened = await openPage(address)
    await opened.page.getByRole('button', { name: 'Trust this and check' }).click()
    await opened.page.locator('.verdict.is-checked').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('behavior: the key is not the agent’s, and only its owner can read it', async () => {
    const path = settings.ATTESTER_KEY_PATH ?? ''
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { signer } = await loadSigner(path)
    const agents = await (await fetch(`${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY/attester`)).json()
    expect(JSON.stringify(agents)).not.toContain(signer.accountHash)
    const own = await (await fetch(`${url}/v1/feeds/${FEED}/attester`)).json()
    expect(JSON.stringify(own)).toContain(signer.accountHash)
  })

  test('behavior: the costs are those of the page', async () => {
    const cspr = (motes: bigint | string): string => (Number(motes) / 1e9).toFixed(1)
    const shown = (start: string): string => {
      const row = page.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? ''
      return row.split('|').slice(2).join(' ').replaceAll(',', '').trim()
    }
    expect(shown('become eligible')).toBe((Number(ACCOUNT_MOTES - atStart) / 1e9).toFixed(0))
    const [, registered = ''] = /executed +cost ([\d.]+) CSPR/.exec(ran.stdout) ?? []
    expect(shown('register a feed')).toBe(Number(registered).toFixed(1))
    const [, periods = '', paid = ''] =
      /attested (\d+) periods of[^\n]*\npaid ([\d.]+) CSPR/.exec(ran.stdout) ?? []
    // The demo invents other values at another hour, and longer ones cost a little more.
    const each = Number(paid) / Number(periods)
    expect(Number(shown('attest each past value, after'))).toBeWithin(each - 0.1, each + 0.1)
    const feeds = await loadFeeds(join(folder.path, '.wattfeed/my-feeds.json'))
    const costOf = (frequency: FeedConfig['frequency']): string => {
      const { month } = estimateCosts(
        feeds.map((feed) => ({ ...feed, frequency })),
        null,
      )
      return [...new Set([month.batched_motes, month.single_motes].map(cspr))].join(' to ')
    }
    const [, single = ''] = /"charged_motes":"(\d+)"/.exec(ran.stderr) ?? []
    // The estimate is an upper bound.
    expect(costOf('monthly').endsWith(cspr(single))).toBe(true)
    expect(costOf('monthly').startsWith(shown('attest each past value, before'))).toBe(true)
    for (const [article, frequency] of [
      ['an', 'annual'],
      ['a', 'monthly'],
      ['a', 'weekly'],
      ['a', 'daily'],
      ['an', 'hourly'],
    ] as const)
      expect([frequency, shown(`attest ${article} ${frequency} feed`)]).toEqual([
        frequency,
        costOf(frequency),
      ])
  })

  test('behavior: the demo removes the key at its end', async () => {
    demo.signal('SIGINT')
    expect(await demo.exitCode).toBe(0)
    expect(existsSync(dirname(settings.ATTESTER_KEY_PATH ?? ''))).toBe(false)
  })
})
