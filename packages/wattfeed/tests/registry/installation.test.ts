import { describe, expect, test } from 'bun:test'
import { clAddress, clBool, clByteArray, clString } from '@wattfeed/casper/types'
import { installArguments, upgradeArguments, wiringArguments } from '../../src/registry/installation.ts'

const account = `account-hash-${'1f'.repeat(32)}`
const packageHash = '2e'.repeat(32)

// What transactions carry is written down once, in packages/casper/src/transaction, which the registries do not know.
describe('the arguments of an installation', () => {
  test('default: those of install, in their order, as a transaction encodes them', () => {
    const args = installArguments('AttestationRegistry', account)
    expect<unknown>(Object.entries(args)).toEqual([
      ['attester', clAddress(account)],
      ['odra_cfg_is_upgradable', clBool(true)],
      ['odra_cfg_is_upgrade', clBool(false)],
      ['odra_cfg_allow_key_override', clBool(false)],
      ['odra_cfg_package_hash_key_name', clString('AttestationRegistry_package_hash')],
    ])
  })

  test.each([
    [[], true],
    [['upgrader_group'], false],
  ])('default: those of upgrade, for a package with the groups %p', (groups, isGroupMissing) => {
    expect<unknown>(Object.entries(upgradeArguments('FeedRegistry', { packageHash, groups }))).toEqual([
      ['odra_cfg_is_upgrade', clBool(true)],
      ['odra_cfg_package_hash_to_upgrade', clByteArray(Buffer.from(packageHash, 'hex'))],
      ['odra_cfg_package_hash_key_name', clString('FeedRegistry_package_hash')],
      ['odra_cfg_allow_key_override', clBool(true)],
      ['odra_cfg_is_upgradable', clBool(true)],
      ['odra_cfg_is_factory_upgrade', clBool(false)],
      ['odra_cfg_create_upgrade_group', clBool(isGroupMissing)],
    ])
  })

  test('default: those of the wiring calls', () => {
    expect<unknown>(wiringArguments('FeedRegistry', packageHash)).toEqual({
      gate: clAddress(`hash-${packageHash}`),
    })
    expect<unknown>(wiringArguments('AttestationRegistry', packageHash)).toEqual({
      feed_registry: clAddress(`hash-${packageHash}`),
    })
  })

  test.each([`account-hash-${'1F'.repeat(32)}`, '', `uref-${'0'.repeat(64)}`])(
    'error: %p is no account',
    (name) => expect(() => installArguments('FeedRegistry', name)).toThrow(),
  )
})
