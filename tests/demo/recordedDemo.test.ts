import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import expected from '../../fixtures/chain/expected-readings.json'

const demo = fileURLToPath(new URL('../../src/demo.ts', import.meta.url))

interface Demo extends AsyncDisposable {
  /** What it prints, up to and including its last line. */
  announcement: Promise<string>
  signal(name: 'SIGINT' | 'SIGTERM'): void
  exitCode: Promise<number>
}

function startDemo(): Demo {
  const child = Bun.spawn([process.execPath, demo, '--recorded'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return {
    announcement: readUntil(child.stdout, 'Ctrl-C'),
    signal: (name) => child.kill(name),
    exitCode: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

async function readUntil(output: ReadableStream<Uint8Array>, word: string): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    if (text.includes(word)) break
  }
  return text
}

const urlsIn = (text: string): string[] => text.match(/http:\/\/[^\s']+/g) ?? []
const curlUrls = (text: string): string[] => urlsIn(text.match(/^ {2}curl .*$/gm)?.join('\n') ?? '')

async function portIsFree(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  )
}

describe('demo', () => {
  test('default: the recorded readings are served, field for field', async () => {
    await using running = startDemo()
    const [listening] = urlsIn(await running.announcement)
    const body = await (await fetch(`${listening}/v1/feeds`)).json()
    expect(JSON.stringify(body)).toBe(JSON.stringify(expected))
  })

  test('behavior: it says that the values are recorded test data', async () => {
    await using running = startDemo()
    const announcement = await running.announcement
    expect(announcement).toContain('recorded exchanges of a real Casper 2.0.3 network')
    expect(announcement).toContain('test data, not live EIA statistics')
  })

  test('behavior: the three printed lines work as they stand', async () => {
    await using running = startDemo()
    const urls = curlUrls(await running.announcement)
    expect(urls).toHaveLength(3)
    for (const url of urls) {
      const response = await fetch(url)
      expect(response.status).toBe(200)
      expect(Object.keys(Object(await response.json()))).not.toContain('error')
    }
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('behavior: %s stops everything, exit code 0', async (name) => {
    await using running = startDemo()
    const urls = new Set(urlsIn(await running.announcement).map((url) => new URL(url).origin))
    expect(urls.size).toBe(2)
    running.signal(name)
    expect(await running.exitCode).toBe(0)
    for (const url of urls) expect(await portIsFree(url)).toBe(true)
  })

  test('error: a taken port is named in one line, exit code 1', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve(Object(taken.address()).port))
    })
    const child = Bun.spawn([process.execPath, demo], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(await child.exited).toBe(1)
    expect(await new Response(child.stdout).text()).toBe('')
    expect(await new Response(child.stderr).text()).toMatch(new RegExp(`^[^\n]*${port}[^\n]*\n$`))
    taken.close()
  })

  test('behavior: --help tells the options', async () => {
    const child = Bun.spawn([process.execPath, demo, '--help'], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toContain('--recorded')
    expect(await child.exited).toBe(0)
  })

  test('error: an unknown option is refused', async () => {
    const child = Bun.spawn([process.execPath, demo, '--live'], { stdio: ['ignore', 'ignore', 'pipe'] })
    expect(await new Response(child.stderr).text()).toContain("unknown option '--live'")
    expect(await child.exited).toBe(1)
  })
})
