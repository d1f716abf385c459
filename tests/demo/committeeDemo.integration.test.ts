import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findDataset } from '@wattfeed/eia/catalog'
import { hasBrowser } from '@wattfeed/testing/browser'
import type { AttesterBody, TransactionBody } from '../../src/api/schemas.ts'
import { demoDatasets } from '../../src/demo/demoDatasets.ts'
import { memberNames } from '../../src/demo/formCommittee.ts'
import { nextLook } from '../support/nextLook.ts'
import { runToEnd } from '../support/program.ts'
import { shownCommands } from '../support/snippets.ts'
import { openPage } from '../web/explorer/support/openPage.ts'
import { countRows, type Demo, demo, portIsFree, printedSettings, startDemo, urlsIn } from './demoProcess.ts'

describe('demo --committee', () => {
  let running: Demo
  let announcement: string
  let url: string

  beforeAll(async () => {
    running = startDemo('--committee')
    announcement = await running.announcement
    url = urlsIn(announcement)[0] ?? ''
  })

  afterAll(async () => {
    await running[Symbol.asyncDispose]()
  })

  const read = async (path: string) => (await fetch(`${url}${path}`)).json()
  const readAuthority = async (feedId: string) => {
    const { authority } = (await read(`/v1/feeds/${feedId}/attester`)) as AttesterBody
    if (authority === null) throw new Error(`no account may attest to ${feedId}`)
    return authority
  }

  test('default: four of five keys must sign every feed', async () => {
    expect(announcement).toContain('and agents attest values with signed transactions')
    expect(announcement).toContain('4 of 5 keys must sign')
    const { feeds } = (await read('/v1/feeds')) as { feeds: { feed_id: string; value: number | null }[] }
    expect(feeds.filter(({ value }) => value !== null).length).toBeGreaterThanOrEqual(36)
    for (const { feed_id } of feeds)
      expect(await readAuthority(feed_id)).toMatchObject({
        min_signers: 4,
        thresholds: { deployment: 4, key_management: 4 },
        keys: Array(5).fill({ weight: 1 }),
      })
  })

  /** Reads the transaction of one of a feed's newest values. */
  async function readTransaction(feedId: string, prefix: string): Promise<TransactionBody> {
    const { count } = await read(`/v1/feeds/${feedId}/history?limit=1`)
    for (let index = count - 1; index >= 0; index--) {
      const body = await read(`/v1/feeds/${feedId}/history/${index}/transaction`)
      if (body.transaction_hash.startsWith(prefix)) return body
    }
    throw new Error(`${feedId} has no value of the transaction ${prefix}`)
  }

  test('behavior: four have signed the newest root of each dataset, and the server has its snapshot', async () => {
    for (const { route, frequency, feed_id } of demoDatasets) {
      const [facet] = findDataset(route)?.facets ?? []
      const codes = await read(`/v1/datasets/codes?route=${route}&frequency=${frequency}&facet=${facet}`)
      expect(codes).toMatchObject({ feed_id, is_newest_root: true })
      const { signers } = await readTransaction(feed_id, '')
      expect(signers.filter(({ weight }) => weight === 1).length).toBeGreaterThanOrEqual(4)
    }
  })

  test('behavior: what it prints fits 32 lines of 80 characters', () => {
    expect(countRows(announcement, 80)).toBeLessThanOrEqual(32)
  })

  /** Runs the command of docs/committee.md that compares the members. */
  function compareMembers() {
    const [words = []] = shownCommands('docs/committee.md').flatMap(({ words }) =>
      words.includes('$DEMO_MEMBERS') ? [words] : [],
    )
    const settings = printedSettings(announcement)
    const [assignment = '', ...command] = words.map((word) =>
      word.replace(/\$(DEMO_\w+)/, (_, name) => settings[name] ?? ''),
    )
    const [name = '', value = ''] = assignment.split('=')
    const entry = demo.replace('demo.ts', 'index.ts')
    const args = command.slice(command.indexOf('committee'))
    return runToEnd([process.execPath, entry, ...args], { ...settings, [name]: value })
  }

  test('behavior: the command of docs/committee.md compares the members, who agree', async () => {
    const { exitCode, stdout } = await compareMembers()
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    for (const name of memberNames) expect(stdout).toContain(name)
  })

  /** The command that ends an agent, whose it is, and the one that starts it again. */
  function printedCommands() {
    const [, kill = '', name = ''] = /^ {2}(kill -9 \d+) +# (\w+); /m.exec(announcement) ?? []
    const [, restart = ''] = /^ {2}(kill -USR2 \d+) /m.exec(announcement) ?? []
    return { kill, name, restart }
  }

  test('behavior: the printed command ends an agent, which is printed, and the demo runs on', async () => {
    const { kill, name, restart } = printedCommands()
    await runToEnd(['sh', '-c', kill])
    const said = await running.until(`${restart}\n`, announcement.length)
    expect(said.slice(announcement.length)).toContain(
      `  ${name}'s agent has ended (exit code 137). 4 still run and attest, as 4 must sign. To start it again: ${restart}\n`,
    )
  })

  test.skipIf(!hasBrowser)(
    'behavior: the page of a feed shows how many keys must sign, and who has signed',
    async () => {
      await using opened = await openPage(`${url}/explorer/feeds/EIA.PET.PRICE.WTI.DAILY`)
      const { page } = opened
      await page.getByText('4 of 5 keys must sign.').waitFor()
      await page.getByRole('button', { name: 'Find it' }).click()
      await page.getByText(/signed by [45] keys/).waitFor()
      expect(opened.faults).toEqual([])
    },
  )

  // The members need up to a minute for it, in which the tests above run. It is a revision, or a new hour in the hour's first minutes.
  test('behavior: without it, a value is printed with the others, who have signed it, and the server names their keys', async () => {
    const names = memberNames.filter((name) => name !== printedCommands().name)
    const by = `, signed by ${names.join(', ')})`
    const text = await running.until(by, announcement.length)
    const [line = ''] = text.split('\n').filter((each) => each.endsWith(by))
    const [, feedId = '', prefix = ''] = /^ {2}(EIA\S+) = .* \([\w-]+, transaction (\w+)…/.exec(line) ?? []

    const { keys } = await readAuthority(feedId)
    const transaction = await readTransaction(feedId, prefix)
    const counted = transaction.signers.filter(({ weight }) => weight === 1)
    expect(counted).toHaveLength(names.length)
    expect(keys.map(({ account_hash }) => account_hash)).toEqual(
      expect.arrayContaining(counted.map(({ account_hash }) => account_hash)),
    )
  })

  test('behavior: the printed command starts the ended agent again', async () => {
    const { name, restart } = printedCommands()
    await runToEnd(['sh', '-c', restart])
    await running.until(`  ${name}'s agent has been started again: process `, announcement.length)
    while ((await compareMembers()).exitCode !== 0) await nextLook()
  })

  test('behavior: a signal stops all agents, exit code 0', async () => {
    const addresses = urlsIn(announcement).map((each) => new URL(each).origin)
    running.signal('SIGINT')
    expect(await running.exitCode).toBe(0)
    for (const address of addresses) expect(await portIsFree(address)).toBe(true)
  })
})

test('error: no agent of another chain signs at once', async () => {
  const { exitCode, stderr } = await runToEnd([process.execPath, demo, 'agent'], {
    CASPER_CHAIN_NAME: 'casper-test',
  })
  expect([exitCode, stderr]).toEqual([
    1,
    'error: "demo agent" runs only on the demo\'s chain, casper-devnet; run "bun run agent"\n',
  ])
})
