import type { Devnet } from '@wattfeed/casper-devnet'
import type { CallDevnet } from './devnetCaller.ts'

/** Returns a function that calls an embedded chain in this process, without a socket. */
export function createDevnetCall(devnet: Pick<Devnet, 'call'>): CallDevnet {
  return async (method, params) => {
    const answer = await devnet.call(method, params)
    if ('error' in answer) throw new Error(`${method} failed: ${JSON.stringify(answer.error)}`)
    return answer.result
  }
}
