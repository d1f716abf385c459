import { createValidator, signBlock } from '@wattfeed/casper/testing/signedChain'
import type { RpcAnswer } from '@wattfeed/casper-devnet'
import type { FuzzChain } from './fuzzChain.ts'
import { deep, mutateJson } from './mutateJson.ts'

/** A call that a lying node answers. */
export interface Asked {
  id: unknown
  method: string
  params: unknown
  /** The true height of the newest block. */
  height: number
}

/** The reply: an answer in place of the true one, or a body or response as given; `hang` never answers. */
export type Told = RpcAnswer | { body: string } | { response: () => Response } | 'hang' | 'broken'

/** One way to lie, for some calls. */
export interface Lie {
  name: string
  /** Whether it shows another chain, which must not be mixed with a third one. */
  isWhole: boolean
  tell(asked: Asked): Promise<Told>
}

export interface LieWorld {
  chain: FuzzChain
  /** A chain with the same package hashes, but other validators and no value in common. */
  foreign: FuzzChain
  random: () => number
}

type Tell = (world: LieWorld, asked: Asked) => Promise<Told> | Told
type CreateLie = (
  world: LieWorld,
  height: number,
) => { detail?: string; tell: Tell; methods?: readonly string[] }

const pick = <T>(random: () => number, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('there is nothing to pick from')
  return found
}

const items = ['state_get_dictionary_item', 'query_global_state'] as const
const heads = ['chain_get_block', 'chain_get_state_root_hash'] as const

const honest = (world: LieWorld, { height, method, params }: Asked): Promise<RpcAnswer> =>
  world.chain.answer(height, method, params)

const result = (answer: RpcAnswer): unknown => ('result' in answer ? answer.result : null)

const error = (code: number, message: string, data?: unknown): RpcAnswer => ({
  error: { code, message, data },
})

const absentItem = error(-32003, 'Query failed', 'value was not found in the global state')

const retryAfters = [
  '0',
  '1',
  '3600',
  '1e+23',
  '-5',
  'abc',
  '99999999999999999999999',
  'Fri, 31 Dec 2100 23:59:59 GMT',
]

/** Faults that disturb a conversation without a false statement about the chain. */
const transport: Record<string, CreateLie> = {
  status({ random }) {
    const status = pick(random, [429, 503, 500, 502, 404, 403])
    const wait = random() < 0.6 ? pick(random, retryAfters) : null
    const headers: Record<string, string> = wait === null ? {} : { 'retry-after': wait }
    return {
      detail: `${status} retry-after ${wait}`,
      tell: () => ({ response: () => new Response('busy', { status, headers }) }),
    }
  },
  broken: () => ({ tell: () => 'broken' }),
  hang: () => ({ tell: () => 'hang' }),
  body({ random }) {
    const body = pick(random, [
      '',
      '<html>busy</html>',
      '[]',
      'null',
      '{',
      '"',
      '{"jsonrpc":"2.0"}',
      '\u0000',
    ])
    return { detail: JSON.stringify(body), tell: () => ({ body }) }
  },
  truncated: () => ({
    async tell(world, asked) {
      const text = JSON.stringify({ ...(await honest(world, asked)), id: asked.id })
      // Cuts before the id, because ids grow from run to run.
      return { body: text.slice(0, Math.floor(world.random() * text.lastIndexOf('"id"'))) }
    },
  }),
  'wrong id': () => ({
    tell: async (world, asked) => ({
      body: JSON.stringify({ jsonrpc: '2.0', id: Number(asked.id) + 1, ...(await honest(world, asked)) }),
    }),
  }),
  nested({ random }) {
    const levels = pick(random, [100, 3_000])
    const body = `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(deep(levels))}}`
    return { detail: `${levels}`, tell: () => ({ body }) }
  },
  long: () => ({ tell: () => ({ result: { stored_value: 'x'.repeat(200_000) } }) }),
  'odd result'({ random }) {
    const odd = pick<unknown>(random, [null, 0, 'text', [], {}, { stored_value: {} }, true])
    return { detail: JSON.stringify(odd), tell: () => ({ result: odd }) }
  },
  refusal({ random }) {
    const code = pick(random, [-32000, -32001, -32002, -32003, -32004, -32012, -32601, -32603, 0, 2 ** 31])
    const data = pick<unknown>(random, ['root not known', null, { deep: deep(50) }, 7])
    return { detail: `${code}`, tell: () => error(code, 'refused', data) }
  },
  'chain name'({ random }) {
    const chainspec_name = pick<unknown>(random, ['casper', '', null, 5, 'x'.repeat(10_000)])
    return { methods: ['info_get_status'], tell: () => ({ result: { chainspec_name } }) }
  },
}

/** Claims that an existing item is absent. */
const absence: Record<string, CreateLie> = {
  absent: () => ({ methods: items, tell: () => absentItem }),
  'absent item': () => ({ methods: [items[0]], tell: () => absentItem }),
  'absent query': () => ({ methods: [items[1]], tell: () => absentItem }),
  'some absent'({ random }) {
    const hidden = new Map<string, boolean>()
    return {
      methods: items,
      tell(world, asked) {
        const key = JSON.stringify(asked.params)
        const hides = hidden.get(key) ?? random() < 0.3
        hidden.set(key, hides)
        return hides ? absentItem : honest(world, asked)
      },
    }
  },
}

/** True answers to other requests or at other times, and true states of the chain's past. */
const stale: Record<string, CreateLie> = {
  replay: () => {
    const first = new Map<string, Promise<RpcAnswer>>()
    return {
      methods: items,
      tell(world, asked) {
        const told = first.get(asked.method) ?? honest(world, asked)
        first.set(asked.method, told)
        return told
      },
    }
  },
  'older items': ({ chain }, height) => {
    const state_root_hash = chain.rootOf(height - 6)
    return {
      methods: items,
      tell(world, asked) {
        const at =
          asked.method === 'query_global_state'
            ? { state_identifier: { StateRootHash: state_root_hash } }
            : { state_root_hash }
        return honest(world, { ...asked, params: { ...Object(asked.params), ...at } })
      },
    }
  },
  'items of another root': () => ({
    methods: items,
    tell(world, asked) {
      const state_root_hash = world.chain.rootOf(asked.height - 1 - Math.floor(world.random() * 12))
      return honest(world, { ...asked, params: { ...Object(asked.params), state_root_hash } })
    },
  }),
}

/** A consistent node that is stuck at one block. */
const frozen: Record<string, CreateLie> = {
  frozen: ({ random }, height) => {
    const at = height - Math.floor(random() * 8)
    return { detail: `at ${at}`, tell: (world, asked) => honest(world, { ...asked, height: at }) }
  },
  'older head': ({ random }, height) => {
    const at = height - Math.floor(random() * 30)
    return {
      detail: `at ${at}`,
      methods: heads,
      tell: (world, asked) => honest(world, { ...asked, height: at }),
    }
  },
  jumping: () => ({
    tell: (world, asked) =>
      honest(world, { ...asked, height: asked.height - Math.floor(world.random() * 5) }),
  }),
}

const ofForeign: Tell = ({ foreign }, { height, method, params }) => foreign.answer(height, method, params)

/** Another complete chain with the same registries. */
const otherChain: Record<string, CreateLie> = {
  'another chain'({ random }) {
    const behind = pick(random, [0, 0, 3, 12, -10])
    return {
      detail: `${behind} blocks behind`,
      tell: (world, asked) => ofForeign(world, { ...asked, height: asked.height - behind }),
    }
  },
}

/** An item's answer on the other chain, at the root of the same height. */
const foreignItem: Tell = ({ chain, foreign }, { height, method, params }) => {
  const { state_root_hash, state_identifier } = Object(params)
  const at = chain.heightOf(state_root_hash ?? Object(state_identifier).StateRootHash) ?? height
  const root = foreign.rootOf(at)
  const asked =
    method === 'query_global_state'
      ? { state_identifier: { StateRootHash: root } }
      : { state_root_hash: root }
  return foreign.answer(height, method, { ...Object(params), ...asked })
}

/** False answers that look right: only a proof reveals them. */
const plausible: Record<string, CreateLie> = {
  'foreign items': () => ({ methods: [items[0]], tell: foreignItem }),
  'foreign value under a true proof': () => ({
    methods: [items[0]],
    async tell(world, asked) {
      const [ours, theirs] = [await honest(world, asked), await foreignItem(world, asked)]
      if (!('result' in ours) || typeof theirs === 'string' || !('result' in theirs)) return ours
      const { stored_value } = Object(theirs.result)
      return { result: { ...Object(ours.result), stored_value } }
    },
  }),
  'true value under a foreign proof': () => ({
    methods: [items[0]],
    async tell(world, asked) {
      const [ours, theirs] = [await honest(world, asked), await foreignItem(world, asked)]
      if (!('result' in ours) || typeof theirs === 'string' || !('result' in theirs)) return ours
      const { merkle_proof } = Object(theirs.result)
      return { result: { ...Object(ours.result), merkle_proof } }
    },
  }),
  mutated: () => ({
    tell: async (world, asked) => mutated(await honest(world, asked), world.random),
  }),
  'mutated value': () => ({
    methods: items,
    tell: async (world, asked) => mutatedIn(await honest(world, asked), 'stored_value', world.random),
  }),
  'mutated proof': () => ({
    methods: items,
    tell: async (world, asked) => mutatedIn(await honest(world, asked), 'merkle_proof', world.random),
  }),
  'other length'({ random }) {
    const length = pick(random, [0, 1, 2, 3, 1_000])
    const bytes = Buffer.from([length & 255, length >> 8, 0, 0]).toString('hex')
    return {
      detail: `${length}`,
      methods: ['query_global_state'],
      async tell(world, asked) {
        const answer = await honest(world, asked)
        const { CLValue } = Object(Object(result(answer)).stored_value)
        if (CLValue?.cl_type !== 'U32') return answer
        return withStored(answer, { CLValue: { ...CLValue, bytes } })
      },
    }
  },
  'longer log': ({ random }) => {
    const more = pick(random, [1, 2, 1_000])
    let some: Promise<RpcAnswer> | null = null
    return {
      detail: `${more}`,
      methods: items,
      async tell(world, asked) {
        const answer = await honest(world, asked)
        if (asked.method === items[0]) {
          const isEvent = /^\d+$/.test(Object(asked.params).dictionary_identifier.URef.dictionary_item_key)
          if (isEvent && 'result' in answer) some ??= Promise.resolve(answer)
          return isEvent && 'error' in answer ? (some ?? answer) : answer
        }
        const { CLValue } = Object(Object(result(answer)).stored_value)
        if (CLValue?.cl_type !== 'U32') return answer
        const bytes = Buffer.alloc(4)
        bytes.writeUInt32LE(Buffer.from(CLValue.bytes, 'hex').readUInt32LE() + more)
        return withStored(answer, { CLValue: { ...CLValue, bytes: bytes.toString('hex') } })
      },
    }
  },
  'other events': () => ({
    methods: [items[0]],
    tell(world, asked) {
      const { URef } = Object(asked.params).dictionary_identifier
      if (!/^\d+$/.test(URef.dictionary_item_key)) return honest(world, asked)
      const dictionary_item_key = String(Math.floor(world.random() * Number(URef.dictionary_item_key)))
      const params = {
        ...Object(asked.params),
        dictionary_identifier: { URef: { ...URef, dictionary_item_key } },
      }
      return honest(world, { ...asked, params })
    },
  }),
  'another root': ({ random }) => {
    const state_root_hash = pick(random, ['ab'.repeat(32), '00'.repeat(32)])
    return {
      methods: ['chain_get_state_root_hash'],
      tell: () => ({ result: { api_version: '2.0.0', state_root_hash } }),
    }
  },
  'other blocks at known heights': () => ({
    methods: ['chain_get_block'],
    // The newest block of the other chain would be signed by that chain's validators.
    tell(world, asked) {
      const isByHeight = Object(Object(asked.params).block_identifier).Height !== undefined
      return isByHeight ? ofForeign(world, asked) : honest(world, asked)
    },
  }),
}

function mutated(answer: RpcAnswer, random: () => number): RpcAnswer {
  return 'result' in answer ? { result: mutateJson(answer.result, random) } : answer
}

function mutatedIn(answer: RpcAnswer, name: string, random: () => number): RpcAnswer {
  if (!('result' in answer)) return answer
  const { [name]: part, ...others } = Object(answer.result)
  return { result: { ...others, ...Object(mutateJson({ [name]: part }, random)) } }
}

const withStored = (answer: RpcAnswer, stored_value: unknown): RpcAnswer => ({
  result: { ...Object(result(answer)), stored_value },
})

/** Changes the `block_with_signatures` of an answer. */
const inBlocks =
  (change: (served: Record<string, unknown>, world: LieWorld, asked: Asked) => unknown): CreateLie =>
  () => ({
    methods: ['chain_get_block'],
    async tell(world, asked) {
      const answer = await honest(world, asked)
      if (!('result' in answer)) return answer
      const { block_with_signatures, ...others } = Object(answer.result)
      return { result: { ...others, block_with_signatures: change(block_with_signatures, world, asked) } }
    },
  })

type Proofs = { public_key: string; signature: string }[]

const inProofs = (change: (proofs: Proofs, world: LieWorld, asked: Asked) => Proofs): CreateLie =>
  inBlocks((served, world, asked) => ({ ...served, proofs: change(served.proofs as Proofs, world, asked) }))

/** Blocks that the validators have not signed, or not in this form. */
const unsigned: Record<string, CreateLie> = {
  'mutated block': inBlocks((served, { random }) => mutateJson(served, random)),
  'no signatures': inProofs(() => []),
  'one signature': inProofs((proofs) => proofs.slice(0, 1)),
  'one signature again and again': inProofs(([first]) => (first ? [first, first, first, first] : [])),
  'changed signatures': inProofs((proofs, { random }) => mutateJson(proofs, random) as Proofs),
  'signatures of another block': inProofs(
    (_, { chain }, { height }) => chain.block(height - 9).proofs as Proofs,
  ),
  'unsigned head': inBlocks((served, world, { height }) => {
    const [changes] = [pick(world.random, forgedHeaders(world, height))]
    const { header } = Object(served.block).Version2
    return { ...signBlock({ ...header, ...changes }, [], world.chain.chainName), proofs: served.proofs }
  }),
}

/** False contents of an invented header. */
function forgedHeaders({ chain, foreign }: LieWorld, height: number): Record<string, unknown>[] {
  const { era_id } = chain.block(height).block.Version2.header
  return [
    { state_root_hash: foreign.rootOf(height) },
    { state_root_hash: chain.rootOf(height - 8) },
    { height: 2 ** 53 - 1 },
    { height: 2 ** 53 - 1, timestamp: '9999-12-31T23:59:59.000Z' },
    { height: height + 1_000, era_id: Number(era_id) + 125 },
    { timestamp: '9999-12-31T23:59:59.000Z' },
    { timestamp: '1970-01-01T00:00:00.000Z' },
    { height: 1 },
    { state_root_hash: 'ab'.repeat(32) },
  ]
}

const strangers = [3n, 4n, 5n].map((weight, index) => createValidator(`stranger ${index}`, weight))

/** Heads with the node's own validators and valid signatures. */
const forged: Record<string, CreateLie> = {
  'made-up head': (world, height) => {
    const { chain, foreign } = world
    const { header } = chain.block(height).block.Version2
    const switchBlock = forgeSwitchBlock(world, height)
    const changes = pick(world.random, forgedHeaders(world, height))
    const last_switch_block_hash = switchBlock.block.Version2.hash
    const head = signBlock({ ...header, ...changes, last_switch_block_hash }, strangers, chain.chainName)
    const hashes = new Map([switchBlock, head].map((block) => [block.block.Version2.hash, block]))
    return {
      detail: JSON.stringify(changes),
      tell(lieWorld, asked) {
        if (asked.method === 'chain_get_state_root_hash')
          return {
            result: { api_version: '2.0.0', state_root_hash: head.block.Version2.header.state_root_hash },
          }
        if (asked.method !== 'chain_get_block') {
          const root = JSON.stringify(asked.params).includes(foreign.rootOf(height))
          return root ? ofForeign(lieWorld, asked) : honest(lieWorld, asked)
        }
        const { Hash, Height } = Object(Object(asked.params).block_identifier)
        const block = Hash === undefined && Height === undefined ? head : hashes.get(Hash)
        if (block === undefined) return honest(lieWorld, asked)
        return { result: { api_version: '2.0.0', block_with_signatures: block } }
      },
    }
  },
}

/** The true last switch block, except that it names strangers as the next era's validators. */
function forgeSwitchBlock({ chain }: LieWorld, height: number) {
  let at = height - 1
  while (chain.block(at).block.Version2.header.era_end === null) at -= 1
  const { header } = chain.block(at).block.Version2
  const next_era_validator_weights = strangers.map(({ publicKey, weight }) => ({
    validator: publicKey,
    weight: String(weight),
  }))
  const era_end = { ...Object(header.era_end), next_era_validator_weights }
  return signBlock({ ...header, era_end }, strangers, chain.chainName)
}

/** The kinds of lies that a test allows. */
const lieGroups = { transport, absence, stale, frozen, otherChain, plausible, unsigned, forged }

export type LieGroup = keyof typeof lieGroups

/** Chooses a lie of some groups at random; some apply always, others occasionally. */
export function createLie(world: LieWorld, groups: readonly LieGroup[], height: number): Lie {
  const { random } = world
  const group = pick(random, groups)
  const [name, create] = pick(random, Object.entries(lieGroups[group]))
  const { detail, tell, methods } = create(world, height)
  const isWhole = group === 'otherChain' || group === 'forged'
  const chance = isWhole ? 1 : pick(random, [1, 1, 0.5, 0.15])
  return {
    name: `${name}${detail === undefined ? '' : ` (${detail})`} for ${methods?.join(', ') ?? 'every call'}, ${chance * 100} %`,
    isWhole,
    async tell(asked) {
      const lies = (methods?.includes(asked.method) ?? true) && (chance === 1 || random() < chance)
      return lies ? tell(world, asked) : honest(world, asked)
    },
  }
}
