/**
 * Records the animated picture of the README: `bun scripts/recordExplorer.ts`. It starts the demo, and shows how the list is
 * verified in the browser, how a value changes, and how its padlock turns green again. Needs Chromium, at `CHROMIUM_PATH` or
 * `/usr/bin/chromium`, and `bun install --cwd scripts/pictures`.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'

const tools = fileURLToPath(new URL('pictures', import.meta.url))

/** Whether the encoder is installed. */
export const hasEncoder = existsSync(`${tools}/node_modules`) || process.env.REQUIRE_PICTURE_TOOLS === '1'

/** The README's picture. */
export const explorerPicture = fileURLToPath(new URL('../docs/pictures/explorer.webp', import.meta.url))

/** Six rows of the list fit exactly. A code host shows a README about 830 pixels wide. */
export const explorerView = { width: 920, height: 688, deviceScaleFactor: 1.5 }

/** How long a scene is shown before and after its events, in milliseconds. */
const LEAD_MS = 1_000
const REST_MS = 1_500

/** Between two frames before an event. They are equal, and every picture of a page takes a core. */
const LEAD_PAUSE_MS = 200

const LATENCY_MS = 600

/** A slow machine may draw less often. */
const MAX_DELAY_MS = 400

interface Frame {
  readonly png: Buffer
  /** In milliseconds. */
  readonly at: number
}

/** The subset of sharp that this script uses. Its types are only there when it is installed. */
type Sharp = (
  frames: readonly Buffer[],
  options: { join: { animated: true } },
) => { webp(options: object): { toBuffer(): Promise<Buffer> } }

/**
 * Records the explorer of a running demo as an animated WebP.
 *
 * @param page of `explorerView`, at the address with the trusted hashes, which the demo prints
 */
export async function recordExplorer(page: Page): Promise<Buffer> {
  await page.getByRole('button', { name: 'Trust this and check' }).click()
  await page.locator('.verdict.is-checked').waitFor()
  await delayNetwork(page)
  await page.goto(new URL('/', page.url()).href)
  await page.locator('.feeds .padlock').first().waitFor()
  const start = await recordUntil(page, isProven)
  const change = await recordUntil(page, isProven, isChanging)
  return encode([start, change])
}

/** Delays each answer as over the internet. On one machine, a padlock turns green before one sees that it was not. */
async function delayNetwork(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const latency = { offline: false, latency: LATENCY_MS, downloadThroughput: -1, uploadThroughput: -1 }
  await session.send('Network.emulateNetworkConditions', latency)
}

/**
 * Records from shortly before a page has begun an event until shortly after it has ended.
 *
 * @param hasBegun by default, at once
 */
async function recordUntil(
  page: Page,
  hasEnded: (page: Page) => Promise<boolean>,
  hasBegun?: (page: Page) => Promise<boolean>,
): Promise<readonly Frame[]> {
  let frames: Frame[] = []
  let begun = hasBegun === undefined
  let endedAt: number | null = null
  for (;;) {
    const at = performance.now()
    if (endedAt !== null && at > endedAt + REST_MS) return frames
    if (!begun) {
      frames = frames.filter((frame) => frame.at >= at - LEAD_MS)
      begun = (await hasBegun?.(page)) ?? true
    } else if (endedAt === null && (await hasEnded(page))) endedAt = at
    frames.push({ png: await page.screenshot({ clip: await clipOf(page) }), at })
    if (!begun) await Bun.sleep(LEAD_PAUSE_MS)
  }
}

/** The screen without the place of its scrollbar. */
const clipOf = async (page: Page) => ({
  x: 0,
  y: 0,
  width: await page.evaluate(() => document.documentElement.clientWidth),
  height: explorerView.height,
})

/** Whether a value flashes in a row on the screen. */
const isChanging = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.feeds .value.is-changed')].some(
      (value) => value.getBoundingClientRect().bottom < innerHeight,
    ),
  )

/** Whether every padlock on the screen is green, and no value flashes. */
const isProven = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.feeds .padlock:not(.is-checked), .feeds .value.is-changed')].every(
      (each) => each.getBoundingClientRect().bottom >= innerHeight,
    ),
  )

async function encode(scenes: readonly (readonly Frame[])[]): Promise<Buffer> {
  const shown = scenes.flatMap(withDelays)
  const { default: sharp } = (await import(Bun.resolveSync('sharp', tools))) as { default: Sharp }
  return sharp(
    shown.map(({ png }) => png),
    { join: { animated: true } },
  )
    .webp({ delay: shown.map(({ delay }) => delay), loop: 0, quality: 80, effort: 6, minSize: true })
    .toBuffer()
}

/** Joins equal frames, and adds how long each is shown, in milliseconds. */
function withDelays(frames: readonly Frame[]): { png: Buffer; delay: number }[] {
  const shown: { png: Buffer; delay: number }[] = []
  for (const [index, { png, at }] of frames.entries()) {
    const next = frames[index + 1]
    const delay = next === undefined ? REST_MS : Math.min(MAX_DELAY_MS, Math.round(next.at - at))
    const last = shown.at(-1)
    if (last?.png.equals(png)) last.delay += delay
    else shown.push({ png, delay })
  }
  return shown
}

/** Starts the demo on free ports. Returns the address with the trusted hashes once the first value has changed. */
async function startDemo() {
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL('../src/demo.ts', import.meta.url))], {
    env: { ...process.env, PORT: '0', DEVNET_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  while (!text.includes('(revision, ')) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the demo ended (${await child.exited}): ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  // The demo goes on printing.
  void (async () => {
    while (!(await reader.read()).done);
  })()
  const [address = ''] = /http:\S+#proof\S+/.exec(text) ?? []
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return { address, [Symbol.asyncDispose]: stop }
}

if (import.meta.main) {
  await using demo = await startDemo()
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  await using browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox'] })
  const { deviceScaleFactor, ...viewport } = explorerView
  const page = await browser.newPage({ viewport, deviceScaleFactor })
  await page.goto(demo.address)
  const size = await Bun.write(explorerPicture, await recordExplorer(page))
  console.log(`${explorerPicture}: ${size} bytes`)
}
