import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { logError } from '../errorAnswer.ts'
import { createHistoryReaders } from '../readers/historyReaders.ts'
import type { Server } from '../server.ts'
import { createMcpCalls } from './callLimits.ts'
import { createMcpServer } from './createMcpServer.ts'
import type { McpPlace, McpSources } from './sources.ts'

/** Serves the tools to one client on standard input and output, until the input ends. */
export function serveOnStdio({
  client,
  network,
  log,
  concurrency,
  historyCacheMb: cacheMb,
  series,
  proofOrigin,
  trustedBlockHash,
}: Pick<Server, 'client' | 'network' | 'log'> &
  Pick<McpSources, 'series'> &
  Pick<McpPlace, 'proofOrigin' | 'trustedBlockHash'> & {
    concurrency: number
    historyCacheMb: number
  }): StdioServerHandle {
  const { readHistory } = createHistoryReaders({ client, metrics: null, log }, { cacheMb, concurrency })
  const sources = { client, network, readHistory, series, now: Date.now }
  const place = { proofOrigin, trustedBlockHash, isOwnMachine: true }
  const run = createMcpCalls()
  const onError = (error: unknown) => logError(log, error)
  return serveStdio(() => createMcpServer({ sources, place, run, onError }), {
    onerror: (error) => log.warn({ err: error.message }, 'MCP message not answered'),
  })
}
