import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { readProtocolVersion } from '@wattfeed/casper'
import { createDevnet, protocols } from '@wattfeed/casper-devnet'
import {
  isNewerThanTried,
  logProtocolVersion,
  NEWEST_TRIED,
  triedVersions,
} from '../../src/runtime/protocolVersion.ts'
import { createTestLog } from '../server/testApp.ts'
import { readPage } from '../support/snippets.ts'

describe('triedVersions', () => {
  test('default: they are those of the embedded chain, the newest last', async () => {
    const versions = await Promise.all(
      protocols.map(async (protocol) => {
        await using devnet = createDevnet({ protocol })
        return readProtocolVersion(memberAt(await devnet.call('info_get_status'), 'result'))
      }),
    )
    expect(versions.toSorted()).toEqual([...triedVersions])
    expect(triedVersions.at(-1)).toBe(NEWEST_TRIED)
  })

  test('default: docs/verify.md lists them', () => {
    const [, section = ''] = readPage('docs/verify.md').split('\n### Protocol versions\n')
    const [own = ''] = section.split('\n### ')
    const listed = [...own.matchAll(/^\| `([\d.]+)` \|/gm)].map(([, version]) => version)
    expect(listed).toEqual([...triedVersions])
  })
})

test.each([
  ['2.2.3', true],
  ['2.10.0', true],
  ['10.0.0', true],
  ['2.2.2', false],
  ['2.2.1', false],
  ['1.99.0', false],
])('default: %s is newer than all that were tried: %p', (version, isNewer) => {
  expect(isNewerThanTried(version)).toBe(isNewer)
})

test('default: a version is logged, and warned about if it is newer than all that were tried', () => {
  const { log, lines } = createTestLog()
  logProtocolVersion(log, '2.2.2')
  logProtocolVersion(log, '2.3.0')
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['info', { protocol_version: '2.2.2' }],
    ['info', { protocol_version: '2.3.0' }],
    ['warn', { protocol_version: '2.3.0', newest_tried: '2.2.2' }],
  ])
})
