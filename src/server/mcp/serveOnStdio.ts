import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Client, Network } from '../../client/index.ts'
import type { Log } from '../../runtime/log.ts'
import { builtInCatalog } from '../datasets/plugin.ts'
import { logError } from '../errors/plugin.ts'
import { createHistoryReader } from '../history/historyReader.ts'
import { createHistoryAnswer } from '../history/plugin.ts'
import { createMetrics } from '../metrics.ts'
import { createMcpCalls, createMcpServer } from './createMcpServer.ts'
import type { McpPlace } from './sources.ts'

export interface StdioOptions extends Pick<McpPlace, 'proofOrigin' | 'trustedBlockHash'> {
  client: Client
  network: Omit<Network, 'rpcUrls'>
  log: Log
  concurrency: number
  historyCacheMb: number
}

/** Serves the tools to one client on standard input and output, until the input ends. */
export function serveOnStdio(options: StdioOptions): StdioServerHandle {
  const {
    client,
    network,
    log,
    concurrency,
    historyCacheMb: cacheMb,
    proofOrigin,
    trustedBlockHash,
  } = options
  const reader = { client, metrics: createMetrics(), log, concurrency, cacheMb }
  const { read: readHistory } = createHistoryReader(reader, createHistoryAnswer)
  const sources = { client, network, readHistory, catalog: builtInCatalog, now: Date.now }
  const place = { proofOrigin, trustedBlockHash, isOwnMachine: true }
  const calls = createMcpCalls()
  const onError = (error: unknown) => logError(log, error)
  return serveStdio(() => createMcpServer({ sources, place, calls, onError }), {
    onerror: (error) => log.warn({ err: error.message }, 'MCP message not answered'),
  })
}
