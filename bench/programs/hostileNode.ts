/** Measures how long a node's answers can block the event loop; prints the times as JSON. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { checkFinality, getBlockByHash } from '@wattfeed/casper/light-client'
import { type BlockJson, createSignedChain, createValidator } from '@wattfeed/casper/testing/signedChain'
import { decodeBlock } from '@wattfeed/casper/types'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'

/** Longest block of the event loop in each round, in milliseconds. */
export interface HostileTimes {
  /** An answer of brackets only, with the maximum length of a block. */
  brackets: number[]
  /** An answer with the maximum number of members and list items that are parsed. */
  members: number[]
  /** A switch block with 1,000 made-up validators: read, parsed, decoded and hashed. */
  block: number[]
  /** A wrong secp256k1 signature by each of them. */
  signatures: number[]
}

const [rounds = 20, most = 1_000] = process.argv.slice(2).map(Number)

async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = performance.now()
  let isOver = false
  const tick = (): void => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  return longest
}

async function inRounds(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await longestHold(work))
  return times
}

/** Returns a client of a node that answers everything except `info_get_status` with this body. */
const rpcTo = (bodyOf: (id: unknown) => string) =>
  createLocalRpc(() => ({ result: {} }), {
    async fetch(_url, init) {
      const { id, method } = JSON.parse(String(init.body))
      return new Response(method === 'info_get_status' ? answer(id, '{"chainspec_name":"test"}') : bodyOf(id))
    },
    deadlineMs: 600_000,
  })

const answer = (id: unknown, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

const fails = (call: Promise<unknown>): Promise<unknown> => call.catch(() => null)

const validators = Array.from({ length: most }, (_, index) => createValidator(`validator ${index}`, 1n))
const [switchBlock] = createSignedChain({
  chainName: 'test',
  eras: 0,
  blocksPerEra: 1,
  validators: () => validators,
})

const brackets = rpcTo(() => '['.repeat(2 ** 20))
const manyMembers = Array.from(
  { length: 16_000 },
  (_, index) => `"${index.toString(36)}":[0,0,0,0,0,0,0,0,0,0]`,
)
const members = rpcTo((id) => answer(id, `{${manyMembers.join(',')}}`))
const served = JSON.stringify({ block_with_signatures: switchBlock })
const block = rpcTo((id) => answer(id, served))

/** Returns the block with signatures by keys on the curve, which a check must verify completely. */
function wronglySigned(json: BlockJson) {
  const proofs = Array.from({ length: most }, () => secp256k1.keygen()).map(({ publicKey, secretKey }) => ({
    public_key: `02${publicKey.toHex()}`,
    signature: `02${secp256k1.sign(new Uint8Array(32), secretKey).toHex()}`,
  }))
  return {
    block: decodeBlock({ ...json, proofs }),
    weights: new Map(proofs.map(({ public_key }) => [public_key, 1n])),
  }
}

if (switchBlock === undefined) throw new Error('the chain has a first block')
const wrong = wronglySigned(switchBlock)
const times: HostileTimes = {
  brackets: await inRounds(() => fails(getBlockByHash(brackets, 'ab'.repeat(32), decodeBlock))),
  members: await inRounds(() => fails(getBlockByHash(members, 'ab'.repeat(32), decodeBlock))),
  block: await inRounds(() => getBlockByHash(block, switchBlock.block.Version2.hash, decodeBlock)),
  signatures: await inRounds(() => checkFinality(wrong.block, wrong.weights, 'test')),
}
console.log(JSON.stringify(times))
