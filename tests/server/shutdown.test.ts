import { describe, expect, test } from 'bun:test'
import { listen } from '../../src/server/listen.ts'
import { createShutdown } from '../../src/server/shutdown.ts'

/** A listener whose one request is in flight until it is let go. */
async function startBusy() {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const fetchAnswer = async () => {
    arrived.resolve()
    await release.promise
    return new Response('done')
  }
  const listener = listen({ fetch: fetchAnswer, port: 0, host: '127.0.0.1', deadlineMs: 10_000 })
  const url = `http://127.0.0.1:${listener.port}/`
  const answer = fetch(url).then(
    (response) => response.text(),
    (error) => `failed: ${error instanceof Error}`,
  )
  await arrived.promise
  return { listener, url, answer, release: release.resolve }
}

const never = (): Promise<void> => new Promise(() => {})

describe('createShutdown', () => {
  test('default: accepts nothing more at once, and lets what is in flight end', async () => {
    const { listener, url, answer, release } = await startBusy()
    const stopped = createShutdown({ listener, wait: never })()
    const refused = await fetch(url, { keepalive: false }).then(
      () => 'accepted',
      () => 'refused',
    )
    release()
    expect([refused, await answer, await stopped]).toEqual(['refused', 'done', undefined])
  })

  test('behavior: closes what is still in flight when the time is over', async () => {
    const { listener, answer } = await startBusy()
    const asked: number[] = []
    const wait = async (ms: number) => {
      asked.push(ms)
    }
    await createShutdown({ listener, wait })()
    expect([asked, await answer]).toEqual([[8_000], 'failed: true'])
  })

  test('behavior: a second call waits for the first', async () => {
    let stops = 0
    const listener = {
      stop: async () => {
        stops++
      },
      close: never,
    }
    const shutDown = createShutdown({ listener, wait: never })
    await Promise.all([shutDown(), shutDown()])
    expect(stops).toBe(1)
  })
})
