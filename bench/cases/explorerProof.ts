import { launchWholeBrowser } from '@wattfeed/testing/browser'
import type { Browser, Page } from 'playwright-core'
import type { FeedProof } from 'wattfeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import { startBenchServer } from '../benchServer.ts'
import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { Row } from '../table.ts'

/** Eras between the trusted block and the block of the proven value. */
const ERAS = 2
const MOST_CHECKS = 10

/** Measures in Chromium how long a feed's page takes to prove its value, as the page reports it. */
export async function measureExplorerProof(plan: Plan): Promise<Row[]> {
  const browser = await launchWholeBrowser()
  try {
    const rows: Row[] = []
    for (const validators of plan === quickPlan ? [3] : [3, 100])
      rows.push(...(await measureChecks(browser, plan, validators)))
    return rows
  } finally {
    await browser.close()
  }
}

async function measureChecks(browser: Browser, { rounds }: Plan, validators: number): Promise<Row[]> {
  await using world = await createVerifiedWorld({ nodes: 1, eras: ERAS + 1, validators })
  await using server = await startBenchServer({ settings: settingsOf(world) })
  const url = `${server.url}/explorer/feeds/${WTI}`
  const command = await commandOf(server.url, world)
  // Builds the explorer and reads the list.
  await checkTwice(browser, url, command)
  const [fresh, again]: [Check[], Check[]] = [[], []]
  for (let round = 0; round < Math.min(rounds, MOST_CHECKS); round++) {
    const [first, second] = await checkTwice(browser, url, command)
    fresh.push(first)
    again.push(second)
  }
  const row = (what: string, checks: readonly Check[]): Row => {
    const msOf = (part: keyof Check, share: number): number =>
      percentile(
        checks.map((each) => each[part]),
        share,
      )
    const [p50Ms, p99Ms] = [msOf('shownMs', 0.5), msOf('shownMs', 0.99)]
    const other = `at best ${msOf('shownMs', 0)} ms; its download ${Math.round(msOf('downloadMs', 0.5))} ms`
    const name = `explorer, a value proven ${ERAS} eras of ${validators} validators from the trusted hash, ${what}`
    return { name, p50Ms, p99Ms, other, target: '150 ms', reached: p50Ms <= 150 }
  }
  return [row('in a new session', fresh), row('on the same page again', again)]
}

const settingsOf = ({ nodes: [node], network }: VerifiedWorld): Record<string, string> => ({
  CASPER_RPC_URL: node?.url ?? '',
  CASPER_CHAIN_NAME: network.chainName,
  FEED_REGISTRY_PACKAGE_HASH: network.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: network.attestationRegistryPackageHash,
})

/** The input of a reader who trusts a block several eras back. */
async function commandOf(url: string, { genesisHash, network }: VerifiedWorld): Promise<string> {
  const answer = await fetch(`${url}/v1/feeds/${WTI}/proof?from=${genesisHash}`)
  const { switch_blocks } = (await answer.json()) as FeedProof
  const trusted = switch_blocks.at(-ERAS)
  if (trusted === undefined) throw new Error(`the chain has ${switch_blocks.length} switch blocks`)
  return `--trust ${trusted.hash} --chain-name ${network.chainName} --feed-registry ${network.feedRegistryPackageHash} --attestation-registry ${network.attestationRegistryPackageHash}`
}

/** One check, in milliseconds. */
interface Check {
  /** The whole check, as the page reports it. */
  shownMs: number
  /** From requesting the proof to its last byte. */
  downloadMs: number
}

/** In a new session: the first check, which loads the verifier, and a second one from the same block. */
async function checkTwice(browser: Browser, url: string, command: string): Promise<[Check, Check]> {
  await using context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  const page = await context.newPage()
  await page.goto(url)
  return [await check(page, command), await check(page, command)]
}

async function check(page: Page, command: string): Promise<Check> {
  // On a repeated check, the page starts at the trusted block again, not at the last verified block.
  await page.evaluate(() => document.querySelector<HTMLElement>('.trusted summary')?.click())
  await page.getByLabel('Trusted block hash').fill(command)
  await page.getByRole('button', { name: 'Trust this and check' }).click()
  await page.locator('.proof .actions button:enabled').waitFor()
  const words = await page.locator('.verdict.is-checked').textContent()
  const [, ms] = /in (\d+) ms/.exec(words ?? '') ?? []
  if (ms === undefined) throw new Error(`the page does not say how long it took: ${words}`)
  const downloadMs = await page.evaluate(
    () => performance.getEntriesByType('resource').findLast(({ name }) => name.includes('/proof?'))?.duration,
  )
  return { shownMs: Number(ms), downloadMs: downloadMs ?? Number.NaN }
}
