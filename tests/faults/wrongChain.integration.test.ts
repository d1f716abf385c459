import { describe, expect, test } from 'bun:test'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'

const chain = await createRegistryChain({ feeds: 2 })
const other = await createRegistryChain({ feeds: 1, chainName: 'other-net' })
const feedId = testFeedId(0)

describe('a node of another chain', () => {
  test.concurrent('error: the message has both names', async () => {
    await using node = await startCountedNode(other.answer)
    const client = clientOf(chain, [node.url])
    const reads = [client.getReading(feedId), client.getReading('ABSENT'), client.listReadings()]
    for (const { message } of await Promise.all(reads.map(errorOf))) {
      expect(message).toContain('"test-net"')
      expect(message).toContain('"other-net"')
    }
  })

  test('behavior: it is passed over', async () => {
    await using wrong = await startCountedNode(other.answer)
    await using right = await startCountedNode(chain.answer)
    const client = clientOf(chain, [wrong.url, right.url])
    expect(await client.listReadings()).toEqual(chain.readings())
    expect(await client.getReading('ABSENT')).toBeNull()
  })

  test('behavior: it is believed once it serves the right chain', async () => {
    let answer = other.answer
    await using node = await startCountedNode((method, params) => answer(method, params))
    const client = clientOf(chain, [node.url], { deadlineMs: 60_000 })
    await errorOf(client.listReadings())
    answer = chain.answer
    expect(await client.listReadings()).toEqual(chain.readings())
  })
})

describe('a wrong package hash', () => {
  const unknown = `hash-${hashOf('no package')}`

  test.concurrent.each([
    ['FeedRegistry', { feedRegistryPackageHash: unknown }],
    ['AttestationRegistry', { attestationRegistryPackageHash: unknown }],
  ])('error: the %s is named, with the hash', async (name, options) => {
    await using node = await startCountedNode(chain.answer)
    const client = clientOf(chain, [node.url], options)
    const reads = [client.getReading(feedId), client.getReading('ABSENT'), client.listReadings()]
    for (const { message } of await Promise.all(reads.map(errorOf))) {
      expect(message).toContain(name)
      expect(message).toContain(unknown)
    }
  })

  test.concurrent('error: a hash that is not a package is no absence either', async () => {
    await using node = await startCountedNode(chain.answer)
    const feedRegistryPackageHash = await contractHash()
    const client = clientOf(chain, [node.url], { feedRegistryPackageHash })
    expect((await errorOf(client.getReading('ABSENT'))).message).toContain('ContractPackage')
  })

  test.concurrent('error: registries of each other’s kind are rejected', async () => {
    await using node = await startCountedNode(chain.answer)
    const client = clientOf(chain, [node.url], {
      feedRegistryPackageHash: chain.attestationRegistryPackageHash,
      attestationRegistryPackageHash: chain.feedRegistryPackageHash,
    })
    await errorOf(client.listReadings())
  })
})

/** Hash of a contract, which is stored under a hash like a package. */
async function contractHash(): Promise<string> {
  const answer = await chain.answer('query_global_state', { key: chain.feedRegistryPackageHash })
  const hash = /"contract_hash":"contract-([0-9a-f]{64})"/.exec(JSON.stringify(answer))?.[1]
  return `hash-${hash}`
}
