import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import type { CheckedLink, FeedProof } from 'wattfeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { BRENT, WTI } from 'wattfeed/testing/world'
import { readDocuments } from '../../../scripts/proofMutants/verdictLines.ts'
import { citedNetwork, quotedVerifyCommand } from '../../../src/web/cite/verifyCommand.ts'
import { stagesOf } from '../../../src/web/explorer/proof/stages.ts'
import {
  cleanHash,
  faultsOf,
  parseCommand,
  parseFragment,
  publicNetwork,
} from '../../../src/web/explorer/proof/trust.ts'
import { buildVerifier, bundleVerifier } from '../../../src/web/site/verifierBuild.ts'
import { type RunningServer, startServer } from '../../operator/verify/runningServer.ts'
import { tamperWith } from '../../operator/verify/tamperedProofs.ts'
import { breakFetch } from './support/breakFetch.ts'
import { type LyingServer, startLyingServer } from './support/lyingServer.ts'
import { openPage } from './support/openPage.ts'

const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

const verifier = await bundleVerifier()

/** Saves the verifier to a folder, and returns the URL of the file. */
async function saveVerifier(folder: string): Promise<string> {
  const path = join(folder, 'wattfeed-verifier.html')
  await Bun.write(path, verifier)
  return `file://${path}`
}

describe('the verifier’s file', () => {
  test('default: it is the same when built in any environment', () => {
    using folder = createFolder()
    expect(sha256(buildVerifier(join(folder.path, 'verifier')))).toBe(sha256(verifier))
  })

  test('default: its SHA-256 is in the CHANGELOG (otherwise run bun scripts/buildVerifier.ts), and `verify --verifier-hash` prints it', () => {
    const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')
    const program = fileURLToPath(new URL('../../../src/index.ts', import.meta.url))
    const run = Bun.spawnSync([process.execPath, program, 'verify', '--verifier-hash'])
    expect([changelog.includes(sha256(verifier)), run.exitCode, run.stdout.toString().trim()]).toEqual([
      true,
      0,
      sha256(verifier),
    ])
  })

  test('default: it holds all that it needs', () => {
    expect(verifier).not.toMatch(/<(script|link|img)[^>]+(src|href)=/)
  })
})

describe('the trust of a reader', () => {
  const [block, feeds, attestations] = ['ab'.repeat(32), 'cd'.repeat(32), 'ef'.repeat(32)]

  test('default: a pasted command fills in the fields that it names', () => {
    const command = `npx -y bun@1.4.4 run verify http://localhost:4030/v1/feeds/A/proof \\
    --trust ${block} --chain-name casper-devnet \\
    --feed-registry ${feeds} \\
    --attestation-registry=${attestations}`
    expect(parseCommand(command)).toEqual({
      blockHash: block,
      chainName: 'casper-devnet',
      feedRegistry: feeds,
      attestationRegistry: attestations,
    })
    expect(parseCommand(`${block}`)).toEqual({})
    // Names of the prototype of an object are words like others.
    expect(parseCommand('constructor --toString x')).toEqual({})
    expect(parseCommand(`The chain's name isn't in --trust ${block}\n'`)).toEqual({ blockHash: block })
  })

  test('behavior: a pasted command of this page fills in any name of a chain', () => {
    // Names that a split at spaces would tear apart, or take a flag from.
    const part = fc.constantFrom(
      "'",
      "'\\''",
      '$',
      '\\',
      '=',
      ' ',
      '\n',
      '--trust=',
      ' --trust ',
      '--chain-name',
      block,
    )
    const name = fc.array(fc.oneof(part, anyCharacter), { maxLength: 8 }).map((parts) => parts.join(''))
    const trust = { blockHash: attestations, feedRegistry: feeds, attestationRegistry: block }
    fc.assert(
      fc.property(name, (chainName) => {
        const named = { ...trust, chainName }
        const command = quotedVerifyCommand('https://a.example/?b=c', citedNetwork(named), attestations)
        expect(parseCommand(command)).toEqual(named)
      }),
    )
  })

  test('default: an address names it in the fragment, all of it or a part', () => {
    expect(parseFragment(`#proof&trust=${block}&chain-name=casper-devnet`)).toEqual({
      blockHash: block,
      chainName: 'casper-devnet',
    })
    expect([parseFragment('#proof'), parseFragment('')]).toEqual([{}, {}])
  })

  test('default: hashes may be copied with their prefixes', () => {
    expect([` block-${block}\n`, `hash-${block}`, `contract-package-${block}`].map(cleanHash)).toEqual([
      block,
      block,
      block,
    ])
  })

  test('error: an invalid hash is named', () => {
    expect([...faultsOf({ ...publicNetwork, blockHash: 'abc', chainName: '' }).keys()]).toEqual([
      'blockHash',
      'chainName',
    ])
    expect(faultsOf({ ...publicNetwork, blockHash: block }).size).toBe(0)
  })
})

describe('stages', () => {
  const link = (link: string, holds = true): CheckedLink => ({ link, holds, detail: '' })

  test('default: those after the broken link were not reached', () => {
    const links = [link('registries'), link('trusted block'), link('switch block of era 4', false)]
    expect(stagesOf(links).map(({ holds }) => holds)).toEqual([true, false, null, null, null, null])
  })

  test('error: a broken link is shown, even an unknown one, and no unchecked stage is green', () => {
    expect(stagesOf([link('what was asked for', false)]).map(({ holds }) => holds)).toEqual([
      null,
      null,
      null,
      null,
      null,
      false,
    ])
    expect(stagesOf([link('something new', false)]).at(-1)?.holds).toBe(false)
  })

  test('behavior: the attester has a stage if the proof has it', () => {
    const links = [link('FeedRegistry feed_attester[A]'), link('attester', false)]
    expect(stagesOf(links).map(({ title, holds }) => [title, holds])).toContainEqual(['Attester', false])
    expect(stagesOf([link('reading')]).map(({ title }) => title)).not.toContain('Attester')
  })

  test('default: each shows its result; for the eras, the last one', () => {
    const found = [
      'switch block of era 1',
      'switch block of era 2',
      'block',
      'finality signatures of block 9',
      'age',
    ]
    const links = found.map((link) => ({ link, holds: true, detail: `of ${link}` }))
    expect(stagesOf(links).map(({ results }) => results)).toEqual([
      [],
      ['of switch block of era 2'],
      ['of block', 'of finality signatures of block 9'],
      [],
      [],
      [],
    ])
  })
})

/** Chromium reports every 404, also one with the proof of an absence. */
const withoutNotFound = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !fault.includes('404 (Not Found)'))

describe.skipIf(!hasBrowser)('the padlock in Chromium', () => {
  let world: VerifiedWorld
  let server: RunningServer
  let proof: FeedProof

  beforeAll(async () => {
    world = await createVerifiedWorld({ nodes: 1 })
    server = await startServer(world)
    proof = await (await fetch(`${server.url}/v1/feeds/${WTI}/proof?from=${world.genesisHash}`)).json()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  const path = `/explorer/feeds/${encodeURIComponent(WTI)}`

  const commandOf = ({ genesisHash, network }: VerifiedWorld): string =>
    `--trust ${genesisHash} --chain-name ${network.chainName} --feed-registry ${network.feedRegistryPackageHash} --attestation-registry ${network.attestationRegistryPackageHash}`

  async function check(page: Page, command = commandOf(world)): Promise<void> {
    await page.getByLabel('Trusted block hash').fill(command)
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page
      .locator('.verdict.is-checked, .verdict.is-other, .verdict.is-broken, .stage-fault')
      .first()
      .waitFor()
  }

  test('default: grey at first, and green from the reader’s own hash, with every link', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await page.getByText('Not checked in this browser').waitFor()
    await check(page)
    expect(await page.locator('.verdict').getAttribute('class')).toContain('is-checked')
    expect(await page.locator('.stage.is-checked').count()).toBe(7)
    // None is left out.
    expect(await page.locator('.stage:not(:has(.stage-result))').count()).toBe(0)
    expect(await page.locator('.chain').textContent()).toContain(world.genesisHash)
    const attester = page.locator('.stage', { hasText: 'Attester' }).locator('.stage-result')
    expect(await attester.textContent()).toBe(`${world.world.owner.accountHash}, 1 of 1 keys must sign`)
    expect([await opened.violations(), opened.faults, opened.foreign]).toEqual([[], [], []])
  })

  test.each([400, 501])(
    'behavior: from a server that answers %d to `attester=1`, all but the attester',
    async (status) => {
      await using opened = await openPage(`${server.url}${path}`)
      const { page } = opened
      await page.route(/attester=1/, (route) => route.fulfill({ status, json: { error: 'refused' } }))
      await check(page)
      expect(await page.locator('.stage.is-checked').count()).toBe(6)
      expect(await page.locator('.chain').textContent()).not.toContain('Attester')
    },
  )

  test('behavior: the list’s padlock is green for the checked value, and the next check starts at the checkpoint', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await check(page)
    await page.getByRole('link', { name: 'Feeds' }).click()
    await page.locator('.padlock.is-checked').first().waitFor()
    await page.goto(`${server.url}${path}`)
    // What was checked is forgotten with the page; what is trusted is not.
    await page.getByText('Not checked in this browser').waitFor()
    // It does not ask for a hash again.
    expect(await page.locator('.verdict').textContent()).toContain('from the block that you trust')
    expect(await page.locator('.verdict').textContent()).not.toContain('Enter a block hash')
    const asked = page.waitForRequest(/proof/)
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    const checkpoint = proof.switch_blocks.at(-1)?.hash ?? ''
    expect((await asked).url()).toContain(`from=${checkpoint}`)
    await page.locator('.verdict.is-checked').waitFor()
  })

  test('behavior: the verifier loads before the check, with the focus or a remembered block', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    const scripts = (): Promise<string[]> =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .filter((name) => name.endsWith('.js')),
      )
    await page.locator('.provenance .pairs').waitFor()
    const before = await scripts()
    const loaded = page.waitForResponse((response) => response.url().endsWith('.js'))
    await page.getByLabel('Trusted block hash').focus()
    const verifier = (await loaded).url()
    expect([before.includes(verifier), verifier.startsWith(server.url)]).toEqual([false, true])
    await check(page)
    const again = page.waitForResponse(verifier)
    await page.reload()
    await again
    // No request tells the server the trusted hash.
    expect(
      await page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/proof')),
      ),
    ).toBe(false)
  })

  test('behavior: forgotten on this device, nothing is checked', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await check(page)
    await page.locator('.trusted summary').click()
    await page.getByRole('button', { name: 'Forget it on this device' }).click()
    await page.getByText('Not checked in this browser').waitFor()
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
  })

  /** What the page shows of a check: the verdict, or the fault. */
  async function recheck(page: Page): Promise<string> {
    await page.reload()
    await page.getByRole('button', { name: 'Check in' }).click()
    const fault = page.locator('.stage-fault').first()
    await page.locator('.verdict.is-checked').or(fault).first().waitFor()
    return (await page.locator('.verdict.is-checked').count()) > 0
      ? 'green'
      : String(await fault.textContent())
  }

  test('error: each part of a lying server’s proof shows red and the link', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openPage(`${liar.origin}${path}`)
    const tell = (tampered: unknown): void =>
      liar.lieWith((asked) => (asked.endsWith('/proof') ? Response.json(tampered) : null))
    // None of them is proven, so that each is checked from the trusted block.
    tell(tamperWith(proof)[0]?.proof)
    await check(opened.page)
    for (const { name, proof: tampered, link } of tamperWith(proof)) {
      tell(tampered)
      // A proof of another feed or of an older value may be sound, and is none of what was asked for.
      const isOfAnother = ['the feed', 'its place in the history'].includes(name)
      expect([name, await recheck(opened.page)]).toEqual([
        name,
        expect.stringContaining(isOfAnother ? 'what was asked for' : link),
      ])
      expect(await opened.page.locator('.verdict.is-broken').count()).toBe(1)
    }
  })

  test('error: a valid proof of an older value does not prove the newest one', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openPage(`${liar.origin}${path}`)
    await check(opened.page)
    const older = await fetch(`${server.url}/v1/feeds/${WTI}/history/0/proof?from=${world.genesisHash}`).then(
      (answer) => answer.text(),
    )
    liar.lieWith((asked) => (asked.endsWith('/proof') ? new Response(older) : null))
    expect(await recheck(opened.page)).toContain('its value at index 0')
  })

  test.each([
    ['decimals', 2],
    ['unit', '$/gal'],
    ['period', 20200101],
    ['title', 'Gold'],
  ])('error: no padlock is green beside a %s that was not proven', async (name, lie) => {
    using liar = startLyingServer(server.url)
    const { feeds } = await (await fetch(`${server.url}/v1/feeds`)).json()
    const lies: FeedProof['reading'][] = feeds.map((feed: FeedProof['reading']) => ({ ...feed, [name]: lie }))
    const results = lies.map((reading) => ({ feed_id: reading.feed_id, status: 200, reading }))
    const paths = ['/v1/feeds', '/v1/readings', '/v1/stream']
    liar.lieWith((asked) =>
      paths.includes(asked) ? Response.json({ count: lies.length, feeds: lies, results }) : null,
    )
    await using opened = await openPage(`${liar.origin}${path}`)
    const { page } = opened
    await check(page)
    await page.getByText('The value shown above is different').waitFor()
    expect(await page.locator('.padlock.is-checked').count()).toBe(0)
    const other = page.waitForResponse((answer) => answer.url().includes(`${BRENT}/proof`))
    await page.getByRole('link', { name: 'Feeds' }).click()
    await (await other).finished()
    await page.locator('.padlock.is-checking').waitFor({ state: 'detached' })
    expect(await page.locator('.padlock.is-checked').count()).toBe(0)
  })

  // Its body cannot be read, as where a connection breaks behind the head.
  const halfAnAnswer = (): Response =>
    new Response('{"reading":', {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })

  test('error: after an answer that is no proof, the check has no result, and the reader can check again', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openPage(`${liar.origin}${path}`)
    const { page } = opened
    await check(page)
    for (const [name, answer] of [
      ['null', () => Response.json(null)],
      ['null as an error', () => Response.json(null, { status: 502 })],
      ['half an answer', halfAnAnswer],
      ['no proof', () => Response.json({ reading: { feed_id: WTI } })],
    ] as const) {
      liar.lieWith((asked) => (asked.endsWith('/proof') ? answer() : null))
      expect([name, await recheck(page)]).toEqual([name, expect.stringMatching(/^The check has no result/)])
      liar.lieWith(() => null)
      await page.getByRole('button', { name: 'Check in' }).click()
      await page.locator('.verdict.is-checked').waitFor()
    }
  })

  test('error: the download of an endless proof times out', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openPage(`${liar.origin}${path}`)
    const { page } = opened
    const asked = Promise.withResolvers<void>()
    liar.lieWith((path) => {
      if (!path.endsWith('/proof')) return null
      asked.resolve()
      return new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array([32])) }))
    })
    const checked = check(page)
    await asked.promise
    await page.clock.fastForward(60_000)
    await checked
    expect(await page.locator('.stage-fault').textContent()).toContain('within 60 seconds')
  })

  /** Has the liar keep its answer until the test gives it. */
  function holdAnswer(liar: LyingServer): { asked: Promise<void>; answer(response: Response): void } {
    const asked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<Response>()
    liar.lieWith((path) => {
      if (!path.endsWith('/proof')) return null
      asked.resolve()
      return held.promise
    })
    return { asked: asked.promise, answer: held.resolve }
  }

  test('behavior: the result for a hash that is no longer trusted is ignored', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openPage(`${liar.origin}${path}`)
    const { page } = opened
    const slow = holdAnswer(liar)
    const other = 'ab'.repeat(32)
    await page.getByLabel('Trusted block hash').fill(commandOf(world).replace(world.genesisHash, other))
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await slow.asked
    liar.lieWith(() => null)
    await page.locator('.trusted summary').click()
    await check(page)
    const answered = page.waitForResponse(/proof/)
    slow.answer(Response.json({ error: 'no such block' }, { status: 400 }))
    await (await answered).finished()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await page.locator('.verdict.is-checked').count()).toBe(1)
    expect(await page.locator('.stage-fault').count()).toBe(0)
  })

  test('behavior: a trust that was removed in one tab is not restored by a check in another', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await check(page)
    const other = await page.context().newPage()
    await other.goto(`${server.url}${path}`)
    await other.locator('.trusted summary').click()
    await other.getByRole('button', { name: 'Forget it on this device' }).click()
    await page.getByText('Not checked in this browser').waitFor()
    expect(await page.locator('.trusted').count()).toBe(0)
  })

  test('default: the form names the chain and the registries that the server reads; only the hash is missing', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    const { chainName, feedRegistryPackageHash } = world.network
    await page.waitForFunction(
      (name) => document.querySelector<HTMLInputElement>('input[name=chainName]')?.value === name,
      chainName,
    )
    expect(await page.getByLabel('FeedRegistry package hash').inputValue()).toBe(feedRegistryPackageHash)
    await page.getByText('are this server’s claim').waitFor()
    expect(await page.getByLabel('Trusted block hash').inputValue()).toBe('')
    const hints = () => page.locator('.trust-form [id$=-hint]').allTextContents()
    const before = await hints()
    expect(before[1]).toBe('Signatures are valid for one chain name.')
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.getByText('Enter 64 hex digits.').waitFor()
    expect(await hints()).toEqual([`Enter 64 hex digits. ${before[0]}`, ...before.slice(1)])
    await page.getByLabel('Trusted block hash').fill(world.genesisHash)
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.locator('.verdict.is-checked').waitFor()
    expect([await opened.violations(), opened.faults, await opened.shifts()]).toEqual([[], [], 0])
  })

  test('default: an address fills in the fields that it names; the server does not receive them, and nothing is trusted yet', async () => {
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = world.network
    const parts = {
      trust: world.genesisHash,
      'chain-name': chainName,
      'feed-registry': feedRegistryPackageHash,
      'attestation-registry': attestationRegistryPackageHash,
    }
    await using opened = await openPage(`${server.url}${path}#proof&${new URLSearchParams(parts)}`)
    const { page } = opened
    await page.getByText('Not checked in this browser').waitFor()
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.locator('.verdict.is-checked').waitFor()
    // Another address names another block, which is shown, and not trusted.
    await page.goto('about:blank')
    await page.goto(`${server.url}${path}#proof&trust=${'ab'.repeat(32)}`)
    const field = page.locator('.trusted').getByLabel('Trusted block hash')
    await field.waitFor()
    expect(await field.inputValue()).toBe('ab'.repeat(32))
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    await page.locator('.verdict.is-checked').waitFor()
  })

  test('error: an error of the page ends the check, too', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await breakFetch(page, '/proof')
    await check(page)
    await page.getByText('The check has no result. This page failed: fetch is broken').waitFor()
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    await page.locator('.verdict.is-checked').waitFor()
  })

  test('behavior: a padlock is amber when its block is old: as the page gets older, and with an old proof', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await check(page)
    await page.locator('.headline .padlock.is-checked').waitFor()
    expect(await page.locator('.headline .padlock-age').textContent()).toContain('block')
    await page.clock.fastForward(400_000)
    await page.locator('.headline .padlock.is-old').waitFor()
    expect(await page.locator('.headline .padlock-age').textContent()).toContain('min ago')
    await page.locator('.verdict.is-old').getByText('That block is old').waitFor()
    expect([await opened.violations(), await page.locator('.is-checked.padlock').count()]).toEqual([[], 0])
    // Another session, long after: the server still answers with the same list and the same proof.
    await page.clock.setSystemTime(Date.now() + 86_400_000)
    await page.reload()
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    await page.locator('.headline .padlock.is-old').waitFor()
  })

  test('error: a proof of another network has its own message, unlike a forgery or a broken link', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await check(page, commandOf(world).replace(world.network.chainName, 'casper-other'))
    const words = await page.locator('.verdict.is-other').textContent()
    expect(words).toContain('This proof is for a chain other than yours')
    expect(words).toContain(`it is of the chain ${world.network.chainName}, not casper-other`)
    expect(await page.getByText('Refuted').count()).toBe(0)
    await page.locator('.padlock.is-unchecked').waitFor()
    await page.locator('.trusted').getByLabel('Chain name').waitFor()
    await page.route(/proof/, (route) => route.fulfill({ json: tamperWith(proof)[0]?.proof }))
    await check(page)
    expect(await page.locator('.verdict.is-broken').textContent()).not.toContain('at the start')
  })

  test('error: a hash that the server’s chain does not have is not green', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    await check(opened.page, commandOf(world).replace(world.genesisHash, 'ab'.repeat(32)))
    expect(await opened.page.locator('.stage-fault').textContent()).toStartWith('The check has no result')
  })

  test('behavior: the verifier from disk, saved from the server, checks a value and rejects a changed one', async () => {
    await using opened = await openPage(`${server.url}/explorer/how`)
    const { page } = opened
    const download = page.waitForEvent('download')
    await page.evaluate(() => {
      location.href = '/explorer/wattfeed-verifier.html'
    })
    const saved = await (await download).path()
    expect(sha256(readFileSync(saved, 'utf8'))).toBe(sha256(verifier))
    using folder = createFolder()
    await page.goto(await saveVerifier(folder.path))
    await page.getByLabel('Server').fill(server.url)
    await page.getByLabel('Feed', { exact: true }).fill(WTI)
    await check(page)
    expect(await page.locator('.verdict').textContent()).toContain('Proven from your hash')
    await page.getByLabel('Feed', { exact: true }).fill('NO.SUCH.FEED')
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.getByText('NO.SUCH.FEED is not registered as of block').waitFor()
    await page.getByLabel('Feed', { exact: true }).fill(WTI)
    const [changed] = tamperWith(proof)
    await page.route(/proof/, (route) =>
      route.fulfill({ json: changed?.proof, headers: { 'access-control-allow-origin': '*' } }),
    )
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.locator('.verdict.is-broken').waitFor()
    expect([await opened.violations(), withoutNotFound(opened.faults)]).toEqual([[], []])
  })

  test('behavior: the page of an unknown feed checks that it is not registered', async () => {
    await using opened = await openPage(`${server.url}/explorer/feeds/NO.SUCH.FEED`)
    const { page } = opened
    await page.locator('.verdict').getByText('Not checked in this browser').waitFor()
    await check(page)
    expect(await page.locator('.verdict.is-checked, .verdict.is-old').textContent()).toContain(
      'NO.SUCH.FEED is not registered as of block',
    )
    await page.getByText('Forget it on this device').waitFor({ state: 'attached' })
    expect([await opened.violations(), withoutNotFound(opened.faults)]).toEqual([[], []])
  })

  test('behavior: the page of a feed without a value checks that it has none', async () => {
    const { register, owner } = world.world
    expect(await register(owner, 'NO.VALUE.YET')).toBeNull()
    await using opened = await openPage(`${server.url}/explorer/feeds/NO.VALUE.YET`)
    const { page } = opened
    await page.locator('.verdict').getByText('That the feed has no value is this server’s claim').waitFor()
    expect(await page.locator('dl.pairs').first().textContent()).toContain('Frequency')
    await check(page)
    expect(await page.locator('.verdict.is-checked, .verdict.is-old').textContent()).toContain(
      'NO.VALUE.YET has no value as of block',
    )
    expect([await opened.violations(), withoutNotFound(opened.faults)]).toEqual([[], []])
  })

  test('behavior: the verifier says in words what a pasted proof of a series or a list shows', async () => {
    using folder = createFolder()
    await using opened = await openPage(await saveVerifier(folder.path))
    const { page } = opened
    const vectors = [...(await readDocuments('series')), ...(await readDocuments())]
    for (const [name, words] of [
      ['value', 'product=EPCWTI series=RWTC has the value for 2026-11-13: 60.5 $/BBL. By the newest root of'],
      ['value that is withheld', 'has the value for 2026-11-06: withheld. By'],
      ['newest value of a past root', 'for 2026-11-13: 60.5 $/BBL. By the root with index 0 of'],
      ['no period', 'product=EPCWTI series=RWTC has no value for 2026-11-06. By'],
      ['no series', 'product=EPCWTI series=RBRTE has no value. By'],
      ['list of feeds', 'feeds are registered, and no others'],
      ['history', `values of ${WTI}, as of block`],
    ]) {
      const { document, trust } = vectors.find((each) => each.name === name) ?? {}
      await page.getByLabel('Or a proof').fill(JSON.stringify(document))
      await page
        .getByLabel('Trusted block hash')
        .fill(
          `--trust ${trust?.trusted_block_hash} --chain-name ${trust?.chain_name} --feed-registry ${trust?.feed_registry_package_hash} --attestation-registry ${trust?.attestation_registry_package_hash}`,
        )
      await page.getByRole('button', { name: 'Trust this and check' }).click()
      await page.locator('.verdict', { hasText: words ?? '' }).waitFor()
      expect(await page.locator('.verdict').textContent()).toContain('Proven from your hash')
    }
    await page.getByLabel('Or a proof').fill('{"statement":"value"}')
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.getByText('The check has no result').waitFor()
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })

  test('error: the verifier ignores the late result of an earlier check', async () => {
    using liar = startLyingServer(server.url)
    using folder = createFolder()
    await using opened = await openPage(await saveVerifier(folder.path))
    const { page } = opened
    await page.getByLabel('Server').fill(liar.origin)
    await page.getByLabel('Feed', { exact: true }).fill(WTI)
    const slow = holdAnswer(liar)
    const headers = { 'access-control-allow-origin': '*' }
    await page
      .getByLabel('Trusted block hash')
      .fill(commandOf(world).replace(world.genesisHash, 'ab'.repeat(32)))
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await slow.asked
    liar.lieWith(() => Response.json(proof, { headers }))
    await check(page, commandOf(world).replace(world.network.chainName, 'casper-other'))
    const answered = page.waitForResponse(/proof/)
    slow.answer(Response.json({ error: 'no such block' }, { status: 400, headers }))
    await (await answered).finished()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await page.locator('.verdict.is-other').count()).toBe(1)
  })
})
