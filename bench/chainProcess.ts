import { fileURLToPath } from 'node:url'
import { startChild } from '../tests/support/child.ts'
import type { ChainCommand, ChainInfo, ChainSettings } from './chainProtocol.ts'

/** A chain in a separate process, so that it uses none of the measuring process's time. */
export interface ChainProcess extends AsyncDisposable {
  /** The server's settings to read this chain. */
  settings: Record<string, string>
  /** RPC calls since the last reset. */
  calls(): Promise<number>
  resetCalls(): Promise<void>
  /** Makes a block in which some feeds change. */
  change(kind: 'attest' | 'register', feeds: number): Promise<void>
}

const program = fileURLToPath(new URL('programs/chain.ts', import.meta.url))

export async function startChainProcess(options: ChainSettings): Promise<ChainProcess> {
  const child = await startChild<ChainCommand>(program, options)
  const { send } = child
  const { settings } = child.started as ChainInfo
  return {
    settings,
    async calls() {
      const byMethod = (await send({ name: 'calls' })) as Record<string, number>
      return Object.values(byMethod).reduce((sum, count) => sum + count, 0)
    },
    resetCalls: async () => void (await send({ name: 'reset' })),
    change: async (kind, feeds) => void (await send({ name: kind, feeds })),
    [Symbol.asyncDispose]: child[Symbol.asyncDispose],
  }
}
