import { expect, test } from 'bun:test'
import { createDevnet } from '@wattfeed/casper-devnet'
import { answerRpcText } from '../packages/casper-devnet/src/rpc/answerRpcText.ts'
import { connect } from '../packages/wattfeed/src/client/createClient.ts'
import { agentSettings, readAgentSettings } from '../src/agent/settings/agentSettings.ts'
import { openRpc } from '../src/operator/open.ts'
import * as operator from '../src/operator/settings.ts'
import { clientOptions } from '../src/runtime/settings/readerSettings.ts'
import { type Environment, parseSettings } from '../src/runtime/settings/settings.ts'
import * as server from '../src/server/settings.ts'

/** A node that answers only with this token, and its settings. */
function startNode() {
  const devnet = createDevnet({ seed: 'authorization' })
  const node = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.headers.get('authorization') !== 't0ken-a1b2=') return new Response(null, { status: 401 })
      return new Response(await answerRpcText(await request.text(), devnet.call))
    },
  })
  const environment = {
    CASPER_RPC_URL: node.url.href,
    CASPER_RPC_AUTHORIZATION: `${node.url.host}=t0ken-a1b2=`,
    CASPER_CHAIN_NAME: devnet.chainName,
    FEED_REGISTRY_PACKAGE_HASH: '11'.repeat(32),
    ATTESTATION_REGISTRY_PACKAGE_HASH: '22'.repeat(32),
  }
  return {
    environment,
    async [Symbol.asyncDispose]() {
      await node.stop(true)
      await devnet[Symbol.asyncDispose]()
    },
  }
}

const readers = { writes: false, fetches: false }
const log = { info: () => {}, warn: () => {}, error: () => {} }

const openers = {
  server: (environment: Environment) =>
    connect(server.requestOptions(parseSettings(server.serverSettings, environment), log)).rpc,
  mcp: (environment: Environment) =>
    connect(server.requestOptions(parseSettings(server.mcpSettings, environment), log)).rpc,
  agent: (environment: Environment) => connect(clientOptions(readAgentSettings(environment, readers))).rpc,
  contracts: (environment: Environment) => openRpc(parseSettings(operator.contractsSettings, environment)),
  feeds: (environment: Environment) => openRpc(parseSettings(operator.feedsSettings, environment)),
  transaction(environment: Environment) {
    const settings = parseSettings(operator.transactionSettings, environment)
    const { casperRpcUrl, casperChainName } = settings
    return openRpc({
      ...settings,
      casperRpcUrl: casperRpcUrl ?? [],
      casperChainName: casperChainName ?? '',
    })
  },
}

test.each(Object.entries(openers))('behavior: %s uses a node that wants a bare token', async (_, open) => {
  await using node = startNode()
  const rpc = open(node.environment)
  const [first] = rpc.nodes
  if (first === undefined) throw new Error('no node')
  expect(await rpc.getStatus(first)).toMatchObject({ chainspec_name: node.environment.CASPER_CHAIN_NAME })
})

test('default: every program with CASPER_RPC_URL has the setting', () => {
  const all = [agentSettings, ...Object.values(server), ...Object.values(operator)]
  const schemas = all.flatMap((each) => (typeof each === 'object' && 'properties' in each ? each : []))
  const named = schemas.map(({ properties }) => Object.keys(properties))
  const withUrl = named.filter((names) => names.includes('CASPER_RPC_URL'))
  expect(withUrl.length).toBe(12)
  for (const names of withUrl)
    expect(names[names.indexOf('CASPER_RPC_URL') + 1]).toBe('CASPER_RPC_AUTHORIZATION')
})
