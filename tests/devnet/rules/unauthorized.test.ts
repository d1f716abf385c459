import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  createGlobalState,
  findContractKey,
  getStateRootHash,
  type Rpc,
  readOdraContract,
} from '@wattfeed/casper'
import { type Arguments, clAddress, clU256 } from '@wattfeed/casper/types'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { installContract } from 'wattfeed/testing/installContract'
import { builtContract, installUnwired } from 'wattfeed/testing/installRegistries'
import { createRulesChain } from 'wattfeed/testing/rulesChain'
import {
  BRENT,
  createWorld,
  PERIOD,
  SOURCE_HASH,
  UNAUTHORIZED,
  type World,
  WTI,
  worldOn,
  wtiFeed,
} from 'wattfeed/testing/world'
import {
  attestArguments,
  attestManyArguments,
  registerArguments,
} from '../../../packages/wattfeed/src/registry/calls.ts'
import {
  type ContractName,
  contractNames,
  installArguments,
  wiringArguments,
} from '../../../packages/wattfeed/src/registry/installation.ts'
import { openGate } from '../../../src/operator/eligibility/gate.ts'

type Who = 'owner' | 'alice' | 'bob'

/** A call that only some accounts may make. */
interface BoundCall {
  contract: ContractName
  entryPoint: string
  /** Its subject, if permission depends on it. */
  about?: string
  args: () => Arguments
  /** The permitted accounts; null if there are none. */
  by: Who | null
  strangers: readonly Who[]
}

let world: World
let packages: Readonly<Record<ContractName, string>>

/** WTI belongs to alice, and the gate rejects bob. The owner is the first party, but has no feed. */
beforeAll(async () => {
  world = await createWorld()
  const { owner, alice, bob, sender } = world
  const { accountHash } = owner
  const gate = await installContract(
    sender,
    { signer: owner, account: accountHash },
    await builtContract('EligibilityGate', accountHash),
  )
  packages = { ...world.packages, EligibilityGate: gate }
  expect(await world.register(alice, WTI)).toBeNull()
  expect(await world.close(bob)).toBeNull()
})
afterAll(() => world[Symbol.asyncDispose]())

const value = (feedId: string) => ({ feed_id: feedId, period: PERIOD, amount: 1n, source_hash: SOURCE_HASH })
const firstParty = { by: 'owner', strangers: ['alice', 'bob'] } as const
const claimant = { by: 'alice', strangers: ['owner', 'bob'] } as const
const nobody = { by: null, strangers: ['owner', 'alice', 'bob'] } as const

const boundCalls: readonly BoundCall[] = [
  {
    contract: 'FeedRegistry',
    entryPoint: 'set_eligibility_gate',
    args: () => wiringArguments('FeedRegistry', world.packages.Gate),
    ...firstParty,
  },
  {
    contract: 'FeedRegistry',
    entryPoint: 'register_feed',
    about: 'a feed that is claimed',
    args: () => registerArguments(WTI, wtiFeed),
    ...claimant,
  },
  {
    contract: 'FeedRegistry',
    entryPoint: 'register_feed',
    about: 'a new feed',
    args: () => registerArguments(BRENT, wtiFeed),
    by: 'owner',
    strangers: ['bob'],
  },
  {
    contract: 'AttestationRegistry',
    entryPoint: 'set_feed_registry',
    args: () => wiringArguments('AttestationRegistry', packages.FeedRegistry),
    ...firstParty,
  },
  {
    contract: 'AttestationRegistry',
    entryPoint: 'attest',
    about: 'a feed that is claimed',
    args: () => attestArguments(value(WTI)),
    ...claimant,
  },
  {
    contract: 'AttestationRegistry',
    entryPoint: 'attest',
    about: 'a feed that is not registered',
    args: () => attestArguments(value('UNREGISTERED.VALUE.DAILY')),
    ...nobody,
  },
  {
    contract: 'AttestationRegistry',
    entryPoint: 'attest_many',
    about: 'a feed that is claimed',
    args: () => attestManyArguments([value(WTI)]),
    ...claimant,
  },
  {
    contract: 'AttestationRegistry',
    entryPoint: 'attest_many',
    about: 'a feed that is not registered',
    args: () => attestManyArguments([value('UNREGISTERED.VALUE.DAILY')]),
    ...nobody,
  },
  {
    contract: 'EligibilityGate',
    entryPoint: 'set_root',
    args: () => ({ root: clU256(1n) }),
    ...firstParty,
  },
  {
    contract: 'EligibilityGate',
    entryPoint: 'remove_root',
    args: () => ({ root: clU256(1n) }),
    ...firstParty,
  },
  {
    contract: 'EligibilityGate',
    entryPoint: 'revoke',
    args: () => ({ who: clAddress(world.bob.accountHash) }),
    ...firstParty,
  },
]

const call = (who: Who, { contract, entryPoint, args }: BoundCall): Promise<string | null> =>
  world.call(world[who], packages[contract], entryPoint, args())

const rpcOfWorld = (): Rpc => rpcOf(world.devnet.call, { chainName: world.devnet.chainName })

async function readAll(): Promise<unknown> {
  const gate = await openGate(rpcOfWorld(), packages.EligibilityGate)
  return [await world.read(), await gate.getOwner(), await gate.listRoots()]
}

/** Describes a call. */
const nameOf = ({ contract, entryPoint, about }: BoundCall): string =>
  `${contract}.${entryPoint}${about === undefined ? '' : `, ${about}`}`

describe('unauthorized accounts', () => {
  test.each(boundCalls.map((each) => [nameOf(each), each] as const))(
    'error: a call is rejected with 1 and changes nothing: %s',
    async (_, bound) => {
      const before = await readAll()
      for (const who of bound.strangers) expect(await call(who, bound)).toBe(UNAUTHORIZED)
      expect(await readAll()).toEqual(before)
    },
  )

  test.each(contractNames)(
    'error: entry points for installation and upgrade cannot be called: %s',
    async (name) => {
      const args = installArguments(name, world.bob.accountHash)
      for (const entryPoint of ['init', 'upgrade'])
        for (const who of ['owner', 'bob'] as const)
          expect(await world.call(world[who], packages[name], entryPoint, args)).toBe('Invalid context')
    },
  )

  test('error: no feed can be registered without a gate, and no value attested without a FeedRegistry', async () => {
    await using chain = await createRulesChain()
    const { owner, alice } = chain
    const installer = { signer: owner, account: owner.accountHash }
    const unwired = worldOn(chain, await installUnwired(chain.sender, installer))
    for (const who of [owner, alice]) {
      expect(await unwired.register(who, WTI)).toBe(UNAUTHORIZED)
      expect(await unwired.attest(who, WTI, 1n)).toBe(UNAUTHORIZED)
      expect(await unwired.attestMany(who, [])).toBe(UNAUTHORIZED)
    }
  })
})

describe('authorized accounts', () => {
  test('default: the same calls are not rejected', async () => {
    for (const bound of boundCalls)
      if (bound.by !== null)
        expect([nameOf(bound), await call(bound.by, bound)]).toEqual([nameOf(bound), null])
  })
})

/** Entry points that every account may call: they read, or require a proof. */
const open: Readonly<Record<ContractName, readonly string[]>> = {
  FeedRegistry: ['feed_count', 'get_attester', 'get_feed', 'get_feed_at', 'state_seed'],
  AttestationRegistry: ['get_at', 'get_attester', 'get_count', 'get_latest', 'total_attestations'],
  EligibilityGate: ['claim', 'get_roots', 'granted_count', 'is_eligible'],
}

describe('the entry points', () => {
  test.each(contractNames)('behavior: all are tested: %s', async (name) => {
    const rpc = rpcOfWorld()
    const state = createGlobalState(rpc)
    const { hash } = await getStateRootHash(rpc)
    const key = await findContractKey(state, name, packages[name], hash)
    const { entryPoints } = (await readOdraContract(state, name, key, hash)) ?? { entryPoints: [] }
    const bound = boundCalls.filter(({ contract }) => contract === name).map(({ entryPoint }) => entryPoint)
    expect([...entryPoints].sort()).toEqual([...new Set([...bound, ...open[name], 'init', 'upgrade'])].sort())
  })
})
