import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { TOML } from 'bun'
import { chainspecs } from '../src/chainspec.ts'
import { protocols } from '../src/protocol.ts'
import { createAnswerRpc } from '../src/rpc/createAnswerRpc.ts'
import { createTestChain, START_MOTES } from './support/testChain.ts'

/** Bun does not parse the only number above 2^53. */
const textOf = (bytes: unknown): string =>
  new TextDecoder().decode(Uint8Array.fromHex(String(bytes))).replace(/= 10{18}\n/, '= 0\n')

/** Returns the files of `info_get_chainspec`, parsed. */
function filesOf(chain: Parameters<typeof createAnswerRpc>[0]) {
  const files = memberAt(createAnswerRpc(chain)('info_get_chainspec', undefined), 'result', 'chainspec_bytes')
  const { chainspec_bytes, maybe_genesis_accounts_bytes, ...others } = Object(files)
  expect(others).toEqual({ maybe_global_state_bytes: null })
  return {
    chainspec: TOML.parse(textOf(chainspec_bytes)),
    accounts: maybe_genesis_accounts_bytes && TOML.parse(textOf(maybe_genesis_accounts_bytes)),
  }
}

describe('info_get_chainspec', () => {
  test.each(protocols)('default: the settings of protocol %s, as the chain uses them', (name) => {
    const { protocol, ...settings } = chainspecs[name]
    const { chainspec } = filesOf(createTestChain({ chainspec: chainspecs[name], chainName: 'a "b" c' }))
    expect(chainspec).toMatchObject({
      ...settings,
      protocol: {
        version: protocol.version.join('.'),
        hard_reset: false,
        activation_point: new Date(NOW).toISOString(),
      },
      network: { name: 'a "b" c' },
    })
  })

  test('default: the settings that clients read, with the sections that casper-types wants', () => {
    const { chainspec } = filesOf(createTestChain())
    expect(Object.keys(chainspec).sort()).toEqual(
      'core highway network protocol storage_costs system_costs transactions vacancy wasm'.split(' '),
    )
    expect(chainspec).toMatchObject({
      core: { auction_delay: 1, unbonding_delay: 7, minimum_bid_amount: 10_000_000_000_000 },
    })
  })

  test('default: the accounts at genesis: those with money, and validators with their stakes', () => {
    const chain = createTestChain({ validators: 2 })
    const { accounts } = filesOf(chain)
    expect(Object(accounts).accounts).toEqual([
      ...Object.values(keys).map((key) => ({
        public_key: key.publicKey.toHex(),
        balance: String(START_MOTES),
      })),
      ...chain.weightsOf(0).map(({ validator, weight }) => ({
        public_key: validator,
        balance: expect.stringMatching(/^\d+$/),
        validator: { bonded_amount: String(weight), delegation_rate: 0 },
      })),
    ])
  })

  test('behavior: after an upgrade, its chainspec begins with its era, and has no accounts', () => {
    const chain = createTestChain({ chainspec: chainspecs['2.0.3'], eraLength: 2, blockTimeMs: 'manual' })
    chain.produceBlock()
    const eraId = chain.upgrade(chainspecs['2.2.2'])
    expect(filesOf(chain).chainspec).toMatchObject({ protocol: { version: '2.0.0' } })
    for (let height = 2; height <= 3; height++) chain.produceBlock()
    const { chainspec, accounts } = filesOf(chain)
    expect(chainspec).toMatchObject({ protocol: { version: '2.2.2', activation_point: eraId } })
    expect(accounts).toBeNull()
  })
})
