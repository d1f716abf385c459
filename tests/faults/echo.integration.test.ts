import { describe, expect, test } from 'bun:test'
import { absentAsNull, createGlobalState } from '@wattfeed/casper'
import { newestContractKey } from '@wattfeed/casper/types'
import { always, type FaultPlan, onMethod, onStateReads } from '@wattfeed/casper-devnet/testing/faultPlan'
import * as faults from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { backOff } from '@wattfeed/testing/patience'
import { spellings } from '@wattfeed/testing/secrets'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { connect } from '../../packages/wattfeed/src/client/createClient.ts'
import { answerOf, appOf, createTestLog } from '../server/testApp.ts'
import { patientMs } from '../support/faultCases.ts'

const chain = await createRegistryChain({ feeds: 1 })
const paths = ['/v1/feeds', `/v1/feeds/${testFeedId(0)}`, '/ready']
const limits = { timeoutMs: patientMs, deadlineMs: patientMs }

/** User, password, a token in the path and a key, with characters that each encoding writes differently. */
const withOddSecrets = (url: string): string =>
  url
    .replace('http://', 'http://us3r-name:pa55w%C3%B6rd%22%2F@')
    .replace('/rpc', '/t0ken%20in%2Fpath/rpc?key=qu3ry%2Bkey%26x')

const oddSecrets = new RegExp(`us3r|pa55|55w|t0ken|qu3ry|${btoa('us3r-name:pa55').slice(0, 16)}`, 'i')

const plans: [string, FaultPlan][] = [
  ['an error', always(faults.echoInError)],
  ['an error that is cut', always(faults.echoAtCut)],
  ['a page', always(faults.echoInPage)],
  ['the name of its chain', onMethod('info_get_status', always(faults.echoInChainName))],
  ['a state root', onMethod('chain_get_state_root_hash', always(faults.echoInResult))],
  ['stored values', onStateReads(faults.echoInResult)],
]

describe.concurrent('a node that echoes the request', () => {
  test.each(plans)('error: in %s: the library reveals no secret', async (_, plan) => {
    await using node = await startFaultyNode(chain.answer, plan)
    const told: unknown[] = []
    const client = clientOf(chain, [withOddSecrets(node.url)], {
      ...limits,
      observe: { rpcCall: (event) => told.push(event), rejected: (event) => told.push(event) },
    })
    const error = await errorOf(client.listReadings())
    expect(spellings(error) + JSON.stringify(told)).not.toMatch(oddSecrets)
    expect(error.message).toContain(new URL(node.url).host)
  })

  test.each(plans)(
    'error: in %s: neither the library nor the server reveals a token of the header',
    async (_, plan) => {
      await using node = await startFaultyNode(chain.answer, plan)
      const rpcAuthorization = { [new URL(node.url).host]: 'Bearer t0ken/+b4re==' }
      const client = clientOf(chain, [node.url], { ...limits, rpcAuthorization })
      const error = await errorOf(client.listReadings())
      const log = createTestLog()
      const app = appOf(client, log)
      const answers = await Promise.all([...paths, '/v1/status'].map((path) => answerOf(app, path)))
      expect(spellings(error) + JSON.stringify([answers, log.lines])).not.toMatch(/t0ken|b4re/i)
    },
  )

  test.each(plans)('error: in %s: neither the server nor its log reveals a secret', async (_, plan) => {
    await using node = await startFaultyNode(chain.answer, plan)
    const log = createTestLog()
    const app = appOf(clientOf(chain, [withOddSecrets(node.url)], limits), log)
    const answers = await Promise.all(paths.map((path) => answerOf(app, path)))
    expect(answers.map(({ status }) => status)).toEqual([502, 502, 503])
    expect(JSON.stringify([answers, log.lines])).not.toMatch(oddSecrets)
  })

  test.each(plans)('error: in %s: the agent reveals no secret', async (_, plan) => {
    await using node = await startFaultyNode(chain.answer, plan)
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
    const registries = { chainName, feedRegistryPackageHash, attestationRegistryPackageHash }
    const settings = { ...limits, ...registries, concurrency: 8, retryAfterMaxMs: 30_000 }
    const rpc = connect({ ...settings, rpcUrls: [withOddSecrets(node.url)] }, { backOff }).rpc
    const read = createGlobalState(rpc).query({
      stateRootHash: null,
      key: chain.feedRegistryPackageHash,
      decode: newestContractKey,
      absent: absentAsNull,
    })
    const outcome = await read.then(
      () => 'read',
      (error: Error) => spellings(error),
    )
    expect(outcome + rpc.lastFailure()).not.toMatch(oddSecrets)
  })
})

describe('a method that the agent calls', () => {
  test('error: a rejection that becomes an answer reveals no secret', async () => {
    await using node = await startFaultyNode(
      chain.answer,
      onMethod('account_put_transaction', always(faults.echoAtCut)),
    )
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
    const registries = { chainName, feedRegistryPackageHash, attestationRegistryPackageHash }
    const settings = { ...limits, ...registries, concurrency: 8, retryAfterMaxMs: 30_000 }
    const rpc = connect({ ...settings, rpcUrls: [withOddSecrets(node.url)] }, { backOff }).rpc
    const refusal = await rpc.call<unknown>({
      method: 'account_put_transaction',
      params: {},
      decode: (result) => result,
      refused: (error) => error,
    })
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal instanceof Error ? spellings(refusal) : '').not.toMatch(oddSecrets)
  })
})
