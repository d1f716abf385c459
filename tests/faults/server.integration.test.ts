import { describe, expect, test } from 'bun:test'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { script } from '@wattfeed/casper-devnet/testing/faultPlan'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import { deadNodeUrl } from '@wattfeed/testing/deadNodeUrl'
import { secrets, withSecrets } from '@wattfeed/testing/secrets'
import type { AnyElysia } from 'elysia'
import type { Reading } from 'wattfeed'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { answerOf, appOf, createTestLog } from '../server/testApp.ts'
import { faultCases, patientMs } from '../support/faultCases.ts'

const chain = await createRegistryChain({ feeds: 3 })
const feedPaths = ['/v1/feeds', `/v1/feeds/${testFeedId(1)}`, '/v1/feeds/ABSENT']
const patient = { deadlineMs: patientMs }

const bodyOf = (reading: Reading): object => ({ ...reading, amount: String(reading.amount) })
const bodies = chain.readings().map(bodyOf)
const notFound = {
  status: 404,
  body: { error: 'feed not found on-chain: ABSENT' },
}

const getAll = (app: AnyElysia, paths = feedPaths) => Promise.all(paths.map((path) => answerOf(app, path)))

const allRight = [
  { status: 200, body: { count: bodies.length, feeds: bodies } },
  { status: 200, body: bodies[1] },
  notFound,
]

const badGateway = (says: RegExp) => ({ status: 502, body: { error: expect.stringMatching(says) } })

describe.concurrent('no node answers well', () => {
  test.each(faultCases)('error: 502 names $name', async ({ plan, says, timeoutMs }) => {
    await using node = await startFaultyNode(chain.answer, plan)
    // The server does not wait if a node requests more than the deadline.
    const options = { timeoutMs, deadlineMs: patientMs, retryAfterMaxMs: 2 * patientMs }
    const log = createTestLog()
    const app = appOf(clientOf(chain, [withSecrets(node.url)], options), log)
    const answers = await getAll(app)
    expect(answers).toEqual(feedPaths.map(() => badGateway(says)))
    for (const { body } of answers) expect(JSON.stringify(body)).toContain(new URL(node.url).host)
    expect(JSON.stringify([answers, log.lines])).not.toMatch(secrets)
  })

  test('error: 502 names a port if nothing listens', async () => {
    const app = appOf(clientOf(chain, [await deadNodeUrl()], patient))
    expect(await getAll(app)).toEqual(feedPaths.map(() => badGateway(/127\.0\.0\.1:\d+: .*connection/)))
  })

  test('error: 502 names a wrong package', async () => {
    await using node = await startCountedNode(chain.answer)
    const attestationRegistryPackageHash = `hash-${hashOf('no package')}`
    const app = appOf(clientOf(chain, [node.url], { ...patient, attestationRegistryPackageHash }))
    expect(await getAll(app)).toEqual(
      feedPaths.map(() => badGateway(new RegExp(`AttestationRegistry.*${attestationRegistryPackageHash}`))),
    )
  })

  test('error: 502 names both chains', async () => {
    await using node = await startCountedNode((await createRegistryChain({ chainName: 'another' })).answer)
    const app = appOf(clientOf(chain, [node.url], patient))
    expect(await getAll(app)).toEqual(feedPaths.map(() => badGateway(/"another".*"test-net"/)))
  })

  test('error: 502 says that the only node lags behind', async () => {
    const growing = await createRegistryChain({ feeds: 1 })
    let answer = growing.answer
    const old = growing.answerAsOf(await growing.advance())
    growing.attest(testFeedId(0), { amount: 5n })
    await growing.advance()
    await using node = await startCountedNode((method, params) => answer(method, params))
    const app = appOf(clientOf(growing, [node.url], patient))
    expect(await answerOf(app, '/v1/feeds')).toMatchObject({ status: 200 })
    answer = old
    expect(await getAll(app)).toEqual(feedPaths.map(() => badGateway(/lag/)))
    answer = growing.answer
    expect(await answerOf(app, '/v1/feeds')).toMatchObject({ status: 200 })
  })

  test('behavior: endpoints that do not need the chain answer', async () => {
    const app = appOf(clientOf(chain, [await deadNodeUrl()], patient))
    expect(await getAll(app, ['/health', '/v1/datasets'])).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(await answerOf(app, '/ready')).toMatchObject({ status: 503, body: { ready: false } })
  })
})

// tests/faults/client.integration.test.ts has every fault here, of the client that the server uses.
describe.concurrent('some node answers well', () => {
  const names = ['HTTP 500', 'connection reset', 'an endless body', 'garbage bytes in a CLValue']
  const some = faultCases.filter(({ name }) => names.includes(name))
  test.each(some)('behavior: another try gives the right answers after $name', async ({ fault }) => {
    await using node = await startFaultyNode(chain.answer, script(fault, fault, fault))
    expect(await getAll(appOf(clientOf(chain, [node.url])))).toEqual(allRight)
  })

  test.each(some)('behavior: another node gives the right answers beside $name', async ({ plan }) => {
    await using bad = await startFaultyNode(chain.answer, plan)
    await using good = await startFaultyNode(chain.answer, script())
    const app = appOf(clientOf(chain, [bad.url, await deadNodeUrl(), good.url]))
    expect(await getAll(app)).toEqual(allRight)
  })
})
