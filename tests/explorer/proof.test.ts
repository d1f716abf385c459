import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { buildVerifier, verifierPath } from '../../scripts/buildVerifier.ts'
import type { CheckedLink, FeedProof } from '../../src/client/index.ts'
import { stagesOf } from '../../src/explorer/proof/stages.ts'
import { cleanHash, faultsOf, parseCommand, publicNetwork } from '../../src/explorer/proof/trust.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../client/verifiedWorld.ts'
import { WTI } from '../devnet/rules/world.ts'
import { hasBrowser } from '../support/browser.ts'
import { type RunningServer, startServer } from '../verify/runningServer.ts'
import { tamperWith } from '../verify/tamperedProofs.ts'
import { openPage } from './support/openPage.ts'

setDefaultTimeout(300_000)

const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

describe('the verifier’s file', () => {
  const saved = readFileSync(verifierPath, 'utf8')

  test('default: it is what the sources build, whatever the environment: else bun scripts/buildVerifier.ts', async () => {
    expect(sha256(await buildVerifier())).toBe(sha256(saved))
  })

  test('default: its SHA-256 is in the CHANGELOG, and `verify --verifier-hash` prints it', () => {
    const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
    const program = fileURLToPath(new URL('../../src/index.ts', import.meta.url))
    const run = Bun.spawnSync([process.execPath, program, 'verify', '--verifier-hash'])
    expect([changelog.includes(sha256(saved)), run.exitCode, run.stdout.toString().trim()]).toEqual([
      true,
      0,
      sha256(saved),
    ])
  })

  test('default: it holds all that it needs', () => {
    expect(saved).not.toMatch(/<(script|link|img)[^>]+(src|href)=/)
  })
})

describe('what a reader trusts', () => {
  const [block, feeds, attestations] = ['ab'.repeat(32), 'cd'.repeat(32), 'ef'.repeat(32)]

  test('default: a pasted command fills in what it names', () => {
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
  })

  test('default: hashes may be copied with their prefixes', () => {
    expect([` block-${block}\n`, `hash-${block}`, `contract-package-${block}`].map(cleanHash)).toEqual([
      block,
      block,
      block,
    ])
  })

  test('error: what is no hash is named', () => {
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
})

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
    await page.locator('.verdict.is-checked, .verdict.is-broken, .stage-fault').first().waitFor()
  }

  test('default: grey at first, and green from the reader’s own hash, with every link', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await page.getByText('Not checked in this browser').waitFor()
    await check(page)
    expect(await page.locator('.verdict').getAttribute('class')).toContain('is-checked')
    expect(await page.locator('.stage.is-checked').count()).toBe(6)
    expect(await page.locator('.chain').textContent()).toContain(world.genesisHash)
    expect([await opened.violations(), opened.faults, opened.foreign]).toEqual([[], [], []])
  })

  test('behavior: the list’s padlock is green for the value that was checked, and goes on from the checkpoint', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    await check(page)
    await page.getByRole('link', { name: 'Feeds' }).click()
    await page.locator('.padlock.is-checked').waitFor()
    expect(await page.locator('.padlock.is-checked').count()).toBe(1)
    await page.reload()
    // What was checked is forgotten with the page; what is trusted is not.
    expect(await page.locator('.padlock.is-checked').count()).toBe(0)
    await page.goto(`${server.url}${path}`)
    const asked = page.waitForRequest(/proof/)
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    const checkpoint = proof.switch_blocks.at(-1)?.hash ?? ''
    expect((await asked).url()).toContain(`from=${checkpoint}`)
    await page.locator('.verdict.is-checked').waitFor()
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

  test('error: each part of a lying server’s proof shows red and the link', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    const { page } = opened
    for (const { name, proof: tampered, link } of tamperWith(proof)) {
      await page.route(/proof/, (route) => route.fulfill({ json: tampered }))
      await page.reload()
      await page.locator('.trusted, .trust-form').first().waitFor()
      if (await page.locator('.trusted').count()) await page.getByRole('button', { name: 'Check in' }).click()
      else await check(page)
      const fault = page.locator('.stage-fault').first()
      await fault.waitFor()
      expect([name, await page.locator('.is-checked.verdict').count()]).toEqual([name, 0])
      // Another feed's proof is none of this one.
      expect([name, await fault.textContent()]).toEqual([
        name,
        expect.stringContaining(name === 'the feed' ? 'the proof of another feed' : link),
      ])
      await page.unroute(/proof/)
    }
  })

  test('error: a hash that the server’s chain does not have is not green', async () => {
    await using opened = await openPage(`${server.url}${path}`)
    await check(opened.page, commandOf(world).replace(world.genesisHash, 'ab'.repeat(32)))
    expect(await opened.page.locator('.stage-fault').textContent()).toStartWith('Nothing was found out')
  })

  test('behavior: the verifier from disk, saved from the server, checks a value and refuses a changed one', async () => {
    await using opened = await openPage(`${server.url}/explorer/how`)
    const { page } = opened
    const download = page.waitForEvent('download')
    await page.evaluate(() => {
      location.href = '/explorer/wattfeed-verifier.html'
    })
    const saved = await (await download).path()
    expect(sha256(readFileSync(saved, 'utf8'))).toBe(sha256(readFileSync(verifierPath, 'utf8')))
    await page.goto(`file://${verifierPath}`)
    await page.getByLabel('Server').fill(server.url)
    await page.getByLabel('Feed', { exact: true }).fill(WTI)
    await check(page)
    expect(await page.locator('.verdict').textContent()).toContain('Proven from your hash')
    const [changed] = tamperWith(proof)
    await page.route(/proof/, (route) =>
      route.fulfill({ json: changed?.proof, headers: { 'access-control-allow-origin': '*' } }),
    )
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.locator('.verdict.is-broken').waitFor()
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })
})
