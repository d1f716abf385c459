import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { type CallCounter, createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { clientOf } from 'wattfeed/testing/clientOf'
import type { ClientOptions } from '../../src/client/clientOptions.ts'
import type { Client } from '../../src/client/createClient.ts'

/** The client's settings for a chain, and a node of it. */
export interface ChainInProcess {
  chainName: string
  feedRegistryPackageHash: string
  attestationRegistryPackageHash: string
  answer: AnswerRpc
}

export interface LocalClient {
  client: Client
  calls: CallCounter
  /** The node's answers from now on. */
  answerWith(answer: AnswerRpc): void
}

/** A client of a chain in this process: no sockets, every call counted. */
export function localClient(chain: ChainInProcess, options: ClientOptions = {}): LocalClient {
  let answer = chain.answer
  const calls = createCallCounter((method, params) => answer(method, params))
  const fetch = localFetch(calls.answer)
  const client = clientOf(chain, ['http://node.test/rpc'], { fetch, ...options })
  return {
    client,
    calls,
    answerWith(next) {
      answer = next
    },
  }
}

/** Returns the number of calls of an action. */
export async function callsOf(calls: CallCounter, act: () => Promise<unknown>): Promise<number> {
  calls.reset()
  await act()
  return calls.total()
}

/** Holds back answers until they are released. */
export function holdAnswers(inner: AnswerRpc, holds: (method: string) => boolean) {
  const held: (() => void)[] = []
  const answer: AnswerRpc = async (method, params) => {
    if (!holds(method)) return inner(method, params)
    await new Promise<void>((resolve) => held.push(resolve))
    return inner(method, params)
  }
  return {
    answer,
    held: () => held.length,
    /** Releases the first one. */
    release: () => held.shift()?.(),
  }
}
