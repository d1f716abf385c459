import { describe, expect, test } from 'bun:test'
import { InvalidArgumentError } from '@wattfeed/base'
import { createDevnet } from '../src/createDevnet.ts'
import { startDevnet } from '../src/rpc/startDevnet.ts'

/** What a caller in JavaScript may write. */
const misspelt = { method: ['chain_get_block'] } as object

describe('an option that does not exist', () => {
  test('error: createDevnet and its methods name it', async () => {
    await using devnet = createDevnet({ accounts: 1 })
    const calls = [
      () => createDevnet(misspelt),
      () => devnet.fork(misspelt),
      () => startDevnet(devnet, misspelt),
    ]
    for (const call of calls) {
      const failure = await (async () => call())().catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(InvalidArgumentError)
      expect(failure).toMatchObject({ argument: 'method' })
    }
    expect(await devnet.call('chain_get_state_root_hash')).toHaveProperty('result')
  })
})
