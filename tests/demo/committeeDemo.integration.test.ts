import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AttesterBody, TransactionBody } from '../../src/api/schemas.ts'
import { memberNames } from '../../src/demo/formCommittee.ts'
import { hasBrowser } from '../support/browser.ts'
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

  test('behavior: what it prints fits 32 lines of 80 characters', () => {
    expect(countRows(announcement, 80)).toBeLessThanOrEqual(32)
  })

  test('behavior: the command of docs/committee.md compares the members, who agree', async () => {
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
    const { exitCode, stdout } = await runToEnd([process.execPath, entry, ...args], {
      ...settings,
      [name]: value,
    })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    for (const name of memberNames) expect(stdout).toContain(name)
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

  // The members need up to a minute for it, in which the tests above run.
  test('behavior: a revision is printed with the members who have signed it, and the server names their keys', async () => {
    const text = await running.until(', signed by ', announcement.length)
    const [, feedId = '', prefix = '', by = ''] =
      /^ {2}(EIA\S+) = .* \(revision, transaction (\w+)…, signed by (.*)\)$/m.exec(text) ?? []
    const names = by.split(', ')
    expect(names.length).toBeGreaterThanOrEqual(4)
    expect(memberNames).toEqual(expect.arrayContaining(names))

    const { keys } = await readAuthority(feedId)
    const transaction = await readTransaction(feedId, prefix)
    const counted = transaction.signers.filter(({ weight }) => weight === 1)
    expect(counted).toHaveLength(names.length)
    expect(keys.map(({ account_hash }) => account_hash)).toEqual(
      expect.arrayContaining(counted.map(({ account_hash }) => account_hash)),
    )
  })

  test('behavior: the printed commands end an agent, without which the others attest, and start it again', async () => {
    const [, pid = '', name = ''] = /^ {2}kill (\d+) +# (\w+); /m.exec(announcement) ?? []
    const [, restart = ''] = /^ {2}(kill -USR2 \d+) /m.exec(announcement) ?? []
    const run = (command: string) => runToEnd(['sh', '-c', command])
    const { length } = await running.until('\n', announcement.length)
    await run(`kill ${pid}`)
    const said = await running.until(restart, length)
    expect(said.slice(length)).toContain(
      `  ${name}'s agent has ended (exit code 0). 4 still run and attest, as 4 must sign. To start it again: ${restart}\n`,
    )
    // A new value has the signatures of the others alone.
    const others = memberNames.filter((each) => each !== name).join(', ')
    const attested = await running.until(`, signed by ${others})`, said.length)
    await run(restart)
    const again = await running.until("'s agent has been started again: ", attested.length)
    expect(again.slice(attested.length)).toMatch(new RegExp(`^ {2}${name}'s agent has .* process \\d+$`, 'm'))
    await running.until(name, again.length)
  })

  test('behavior: a signal stops all agents, exit code 0', async () => {
    const addresses = urlsIn(announcement).map((each) => new URL(each).origin)
    running.signal('SIGINT')
    expect(await running.exitCode).toBe(0)
    for (const address of addresses) expect(await portIsFree(address)).toBe(true)
  })
})

test('error: --committee and --recorded exclude each other', async () => {
  const { exitCode, stderr } = await runToEnd([process.execPath, demo, '--committee', '--recorded'])
  expect([exitCode, stderr]).toEqual([
    1,
    "error: option '--committee' cannot be used with option '--recorded'\n",
  ])
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
