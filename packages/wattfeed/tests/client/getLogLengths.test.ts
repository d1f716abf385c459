import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { callsOf, localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId as id, type RegistryChain } from '../support/registryChain.ts'

const attestOnce = async (chain: RegistryChain): Promise<void> => {
  chain.attest(id(0), { amount: 5n })
  await chain.advance()
}

/** A node whose contracts of one package, or of all for an empty hash, have no event log. */
const withoutLog =
  (answer: AnswerRpc, packageHash: string): AnswerRpc =>
  async (method, params) => {
    const answered = structuredClone(await answer(method, params))
    const contract = 'result' in answered ? Object(Object(answered.result).stored_value).Contract : undefined
    if (contract?.contract_package_hash.endsWith(packageHash.replace('hash-', '')))
      contract.named_keys = contract.named_keys.filter(({ name }: { name: string }) => name === 'state')
    return answered
  }

describe('getLogLengths', () => {
  test('default: how many events each registry has emitted, by two calls for each state root', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    await client.getReading(id(0))
    expect(await client.getLogLengths()).toBe('f3.a3')
    expect(await callsOf(calls, () => client.getLogLengths())).toBe(1)
    await attestOnce(chain)
    expect(await callsOf(calls, () => client.getLogLengths())).toBe(1 + 2)
    expect(await client.getLogLengths()).toBe('f3.a4')
  })

  test('behavior: it costs no call once the readings were listed, at a new state root neither', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    await client.listReadings()
    expect(await callsOf(calls, () => client.getLogLengths())).toBe(1)
    await attestOnce(chain)
    const both = () => client.withSnapshot((at) => Promise.all([at.getLogLengths(), at.getReading(id(0))]))
    expect(await callsOf(calls, both)).toBe(1 + 3 + 2)
    expect((await both())[0]).toBe('f3.a4')
  })

  test('behavior: to ask for it does not make a client follow the feeds', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    await client.getLogLengths()
    await attestOnce(chain)
    expect(await callsOf(calls, () => client.getReading(id(0)))).toBe(1 + 2)
  })

  test.each([
    ['FeedRegistry', 'a2'],
    ['AttestationRegistry', 'f2'],
    ['', null],
  ])('behavior: without the log of %s it is %p', async (registry, version) => {
    const chain = await createRegistryChain({ feeds: 2 })
    const hashes: Record<string, string> = {
      FeedRegistry: chain.feedRegistryPackageHash,
      AttestationRegistry: chain.attestationRegistryPackageHash,
    }
    const { client } = localClient({ ...chain, answer: withoutLog(chain.answer, hashes[registry] ?? '') })
    expect(await client.getLogLengths()).toBe(version)
    await client.listReadings()
    expect(await client.getLogLengths()).toBe(version)
  })

  test('error: a failed read of the lengths is repeated at the same state root', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    const at = await client.snapshot()
    answerWith(() => ({ error: { code: -32602, message: 'out of order' } }))
    await expect(at.getLogLengths()).rejects.toThrow('out of order')
    answerWith(chain.answer)
    expect(await at.getLogLengths()).toBe('f2.a2')
  })
})
