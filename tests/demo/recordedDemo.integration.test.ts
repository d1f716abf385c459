import { describe, expect, test } from 'bun:test'
import expected from '../../fixtures/chain/expected-readings.json'
import { takePort } from '../support/ports.ts'
import {
  curlUrls,
  demo,
  portIsFree,
  printedClient,
  printedFeedList,
  startDemo,
  urlsIn,
} from './demoProcess.ts'

describe('demo --recorded', () => {
  test('default: the recorded readings are served, field for field', async () => {
    await using running = startDemo('--recorded')
    const [listening] = urlsIn(await running.announcement)
    const body = await (await fetch(`${listening}/v1/feeds`)).json()
    expect(JSON.stringify(body)).toBe(JSON.stringify(expected))
  })

  test('behavior: it states that the values are recorded test data', async () => {
    await using running = startDemo('--recorded')
    const announcement = await running.announcement
    expect(announcement).toContain('recorded exchanges of a real Casper 2.0.3 network')
    expect(announcement).toContain('test data, not live EIA statistics')
  })

  test('behavior: the three printed lines work unchanged', async () => {
    await using running = startDemo('--recorded')
    const urls = curlUrls(await running.announcement)
    expect(urls).toHaveLength(3)
    for (const url of urls) {
      const response = await fetch(url)
      expect(response.status).toBe(200)
      expect(Object.keys(Object(await response.json()))).not.toContain('error')
    }
  })

  test('behavior: the printed settings and options read the same chain', async () => {
    await using running = startDemo('--recorded')
    const announcement = await running.announcement
    const client = printedClient(announcement)
    expect(await client.listReadings()).toHaveLength(expected.count)
    const { feeds } = await printedFeedList(announcement)
    expect(feeds.filter(({ is_registered }) => is_registered)).toHaveLength(await client.feedCount())
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('behavior: %s stops everything, exit code 0', async (name) => {
    await using running = startDemo('--recorded')
    const urls = new Set(urlsIn(await running.announcement).map((url) => new URL(url).origin))
    expect(urls.size).toBe(2)
    running.signal(name)
    expect(await running.exitCode).toBe(0)
    for (const url of urls) expect(await portIsFree(url)).toBe(true)
  })

  test('error: a taken port is named in one line, exit code 1', async () => {
    await using taken = await takePort()
    const { port } = taken
    const child = Bun.spawn([process.execPath, demo, '--recorded'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(await child.exited).toBe(1)
    expect(await new Response(child.stdout).text()).toBe('')
    expect(await new Response(child.stderr).text()).toMatch(new RegExp(`^[^\n]*${port}[^\n]*\n$`))
  })

  test('behavior: --help lists the options', async () => {
    const child = Bun.spawn([process.execPath, demo, '--help'], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toContain('--recorded')
    expect(await child.exited).toBe(0)
  })

  test('error: an unknown option is rejected', async () => {
    const child = Bun.spawn([process.execPath, demo, '--live'], { stdio: ['ignore', 'ignore', 'pipe'] })
    expect(await new Response(child.stderr).text()).toContain("unknown option '--live'")
    expect(await child.exited).toBe(1)
  })
})
