import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { answerFrom, entityState, entityStates } from '@wattfeed/casper/testing/entityStates'
import { newestEnabled } from '@wattfeed/casper/types'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { accounts } from '@wattfeed/casper-devnet/testing/recordings'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { getContractPackage } from '../../../src/operator/contracts/contractState.ts'

const root = '0'.repeat(64)
const hash = (digit: string): string => digit.repeat(64)

const read = (ContractPackage: unknown) =>
  getContractPackage(
    rpcOf((method) =>
      method === 'info_get_status'
        ? { result: { chainspec_name: 'casper-net-1' } }
        : { result: { stored_value: { ContractPackage } } },
    ),
    hash('f'),
    root,
  )

const version = (major: number, minor: number, contract_hash: string) => ({
  protocol_version_major: major,
  contract_version: minor,
  contract_hash,
})
const whole = {
  access_key: 'uref-00-007',
  versions: [version(2, 10, hash('c')), version(1, 3, hash('a')), version(2, 9, `contract-${hash('b')}`)],
  disabled_versions: [],
  groups: [{ group_name: 'upgrader_group', group_users: [] }],
  lock_status: 'Unlocked',
}

describe('getContractPackage', () => {
  test('default: the recorded package', async () => {
    const recorded = accounts.find(({ method }) => method === 'state_get_package')
    const stored = memberAt(recorded && 'result' in recorded ? recorded.result : null, 'package')
    expect(await read(memberAt(stored, 'ContractPackage'))).toEqual({
      packageHash: hash('f'),
      accessUref: 'uref-0e8bec2cf540a6a5ab3c0fde335a8388b177fbb2984c8326e7cd8b7dc3404ef8-007',
      isLocked: false,
      groups: ['constructor_group', 'upgrader_group'],
      versions: [
        {
          version: '2.1',
          contractHash: '15b3694abfd329c134f2323213f10d03ed7980cf756b34e92c5f21a04fe68da6',
          isEnabled: true,
        },
      ],
    })
  })

  test.each([
    ['that were installed before', 'called', 0],
    ['that were installed as such', 'installed', 1],
  ] as const)('error: versions that are addressable entities, %s', async (_, name, index) => {
    const state = entityState(name)
    const rpc = createLocalRpc(answerFrom(state))
    const packageHash = entityStates.registries[index]?.feed_registry ?? ''
    expect(await errorOf(getContractPackage(rpc, packageHash, state.stateRootHash))).toMatchObject({
      code: 'preflight',
      reason: 'entity',
    })
    expect(await getContractPackage(rpc, hash('e'), state.stateRootHash)).toBeNull()
  })

  const newest: [string, unknown[], string | null][] = [
    ['all enabled', [], hash('c')],
    ['the newest disabled, as a pair', [[2, 10]], hash('b')],
    ['the newest disabled, as an object', [version(2, 10, '')], hash('b')],
    [
      'only the oldest enabled',
      [
        [2, 10],
        [2, 9],
      ],
      hash('a'),
    ],
    [
      'none enabled',
      [
        [2, 10],
        [2, 9],
        [1, 3],
      ],
      null,
    ],
  ]
  test.each(newest)(
    'behavior: the newest version that can be called: %s',
    async (_, disabled, contractHash) => {
      const found = await read({ ...whole, disabled_versions: disabled })
      expect(found && (newestEnabled(found.versions)?.contractHash ?? null)).toBe(contractHash)
    },
  )

  const broken: [string, object | null][] = [
    ['no package', null],
    ['no access key', { ...whole, access_key: 1 }],
    ['no versions', { ...whole, versions: null }],
    ['no disabled versions', { ...whole, disabled_versions: undefined }],
    ['disabled versions that are no list', { ...whole, disabled_versions: {} }],
    ['a version that is none', { ...whole, versions: [{}] }],
    ['a version without its contract', { ...whole, versions: [version(2, 1, 'x')] }],
    ['a group without a name', { ...whole, groups: [{}] }],
  ]
  test.each(broken)('error: %s', async (_, stored) => {
    expect((await errorOf(read(stored))).message).toContain('cannot decode ContractPackage')
  })
})
