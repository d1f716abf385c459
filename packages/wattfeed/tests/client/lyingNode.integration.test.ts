import { describe, expect, test } from 'bun:test'
import { type BlockJson, createValidator, signBlock } from '@wattfeed/casper/testing/signedChain'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { flipLast } from '@wattfeed/testing/flipLast'
import type { RpcRejection } from 'wattfeed'
import { without, withValue } from '../support/jsonLeaves.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../support/verifiedWorld.ts'
import { WTI } from '../support/world.ts'

/** Changes the `block_with_signatures` in answers, including requests by hash. */
const inBlocks =
  (answer: AnswerRpc, lie: (served: BlockJson, hash: string | undefined) => BlockJson): AnswerRpc =>
  async (method, params) => {
    const answered = await answer(method, params)
    if (method !== 'chain_get_block' || 'error' in answered) return answered
    const { block_with_signatures: served } = Object(answered.result)
    const told = lie(structuredClone(served), Object(params).block_identifier?.Hash)
    return { result: { ...Object(answered.result), block_with_signatures: told } }
  }

/** Changes a field of every header, but not the hash. */
const inHeaders = (answer: AnswerRpc, name: string, value: unknown): AnswerRpc =>
  inBlocks(answer, (served) => withValue(served, ['block', 'Version2', 'header', name], value))

/** Replaces the signatures of every block. */
const inProofs = (answer: AnswerRpc, lie: (served: BlockJson) => BlockJson['proofs']): AnswerRpc =>
  inBlocks(answer, (served) => ({ ...served, proofs: lie(served) }))

const strangers = [3n, 4n, 5n].map((weight, index) => createValidator(`stranger ${index}`, weight))

interface Lie {
  name: string
  /** The client's count of it. */
  code: string
  tell(answer: AnswerRpc, world: VerifiedWorld): AnswerRpc | Promise<AnswerRpc>
}

const lies: Lie[] = [
  {
    name: 'another state root',
    code: 'decode',
    tell: (answer) => inHeaders(answer, 'state_root_hash', 'ab'.repeat(32)),
  },
  { name: 'another height', code: 'decode', tell: (answer) => inHeaders(answer, 'height', 7) },
  {
    name: 'a skipped switch block',
    code: 'decode',
    tell: async (answer, world) =>
      inHeaders(answer, 'last_switch_block_hash', (await world.blockAt(0)).block.Version2.hash),
  },
  {
    name: 'another block’s hash over a header',
    code: 'decode',
    tell: (answer) =>
      inBlocks(answer, (served) => withValue(served, ['block', 'Version2', 'hash'], 'ab'.repeat(32))),
  },
  {
    name: 'a header without a field',
    code: 'decode',
    tell: (answer) =>
      inBlocks(answer, (served) => without(served, ['block', 'Version2', 'header', 'timestamp'])),
  },
  {
    name: 'changed signatures',
    code: 'verification',
    tell: (answer) =>
      inProofs(answer, ({ proofs }) =>
        proofs.map(({ public_key, signature }) => ({ public_key, signature: flipLast(signature) })),
      ),
  },
  { name: 'no signatures', code: 'verification', tell: (answer) => inProofs(answer, () => []) },
  {
    name: 'one signer again and again',
    code: 'verification',
    tell: (answer) => inProofs(answer, ({ proofs: [first] }) => (first ? [first, first, first] : [])),
  },
  {
    name: 'signatures of other keys',
    code: 'verification',
    tell: (answer, { network }) =>
      inProofs(answer, ({ block }) => signBlock(block.Version2.header, strangers, network.chainName).proofs),
  },
  {
    name: 'signatures of another chain',
    code: 'verification',
    tell: (answer) =>
      inProofs(answer, ({ block }) => signBlock(block.Version2.header, strangers, 'casper').proofs),
  },
  {
    name: 'signatures of another era',
    code: 'verification',
    tell: async (answer, world) => {
      const old = await world.blockAt(3)
      return inProofs(answer, () => old.proofs)
    },
  },
  {
    name: 'another item than the one that is asked for, with its proof',
    code: 'merkle_proof',
    tell(answer) {
      let first: ReturnType<AnswerRpc> | null = null
      return (method, params) => {
        if (method !== 'state_get_dictionary_item') return answer(method, params)
        first ??= answer(method, params)
        return first
      }
    },
  },
  {
    name: 'items at an older state root',
    code: 'merkle_proof',
    tell: async (answer, world) => {
      const { state_root_hash } = (await world.blockAt(30)).block.Version2.header
      return (method, params) =>
        method === 'state_get_dictionary_item'
          ? answer(method, { ...Object(params), state_root_hash })
          : answer(method, params)
    },
  },
]

describe.each(['proofs', 'full'] as const)('a lying node among honest ones, over HTTP: %s', (verify) => {
  /** Reads through a lying node and an honest one. Returns the amount, and the count of each lie. */
  async function readPast({ tell }: Lie): Promise<[amount: bigint | undefined, rejected: Set<string>]> {
    await using world = await createVerifiedWorld({ nodes: 1 })
    const { owner, devnet } = world.world
    await world.world.attest(owner, WTI, 7n)
    devnet.produceBlock()
    const lying = await world.serve(await tell(devnet.call, world))
    const rejected = new Set<string>()
    const observe = {
      rejected: ({ host, errorCode }: RpcRejection) =>
        rejected.add(`${lying.includes(host) ? 'lying' : 'honest'} ${errorCode}`),
    }
    const client = world.client([], { verify, observe, rpcUrls: [lying, world.nodes[0]?.url ?? ''] })
    const reading = await client.getReading(WTI)
    return [reading?.amount, rejected]
  }

  test.concurrent.each(lies.map((lie) => [lie.name, lie] as const))(
    'behavior: %s: the right value is returned, and the lie is counted',
    async (_, lie) => {
      expect(await readPast(lie)).toEqual([7n, new Set([`lying ${lie.code}`])])
    },
  )
})

test('behavior: another switch block than the one that is requested', async () => {
  await using world = await createVerifiedWorld({ nodes: 1 })
  const genesis = await world.blockAt(0)
  const lying = await world.serve(
    inBlocks(world.world.devnet.call, (served, hash) => (hash === undefined ? served : genesis)),
  )
  const rejected: string[] = []
  const observe = { rejected: ({ errorCode }: RpcRejection) => rejected.push(errorCode) }
  const client = world.client([], { observe, rpcUrls: [lying, world.nodes[0]?.url ?? ''] })
  expect((await client.getReading(WTI))?.amount).toBe(59_910_000n)
  expect(new Set(rejected)).toEqual(new Set(['verification']))
})
