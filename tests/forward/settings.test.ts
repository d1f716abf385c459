import { describe, expect, test } from 'bun:test'
import { forwardSecrets, readForwardSettings } from '../../src/forward/settings.ts'
import { SettingsError } from '../../src/runtime/settings/settings.ts'
import { secret } from './forwardWorld.ts'

const from = 'http://localhost:4030'
const to = 'https://hooks.test/p4th?t=0ken'

/** The faults of the settings. */
function faultsOf(environment: Record<string, string>, options = {}): readonly string[] {
  try {
    readForwardSettings(environment, options)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}

describe('the settings of forward', () => {
  test('default: the ends as options or settings, an option first', () => {
    const given = { FORWARD_SECRET: secret, FORWARD_FROM: 'http://other', FORWARD_TO: 'https://other' }
    expect(readForwardSettings(given, { from, to })).toMatchObject({
      from,
      to: new URL(to),
      forwardAttempts: 12,
    })
    expect(readForwardSettings(given, {})).toMatchObject({ from: 'http://other' })
    expect(readForwardSettings(given, { to, replay: true }).from).toBeNull()
  })

  test.each([
    'https://hooks.test',
    'http://localhost:1/a',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:1/',
  ])('behavior: %s is a target of webhooks', (to) => {
    expect(faultsOf({ FORWARD_SECRET: secret }, { from, to })).toEqual([])
    expect(faultsOf({}, { from, to })).toEqual([
      expect.stringMatching(/^FORWARD_SECRET is not set: .*openssl rand/),
    ])
  })

  test.each(['nats://localhost', 'nats://u:p@10.0.0.1:4222', 'tls://nats.test:4222/'])(
    'behavior: %s is NATS, and needs no secret',
    (to) => {
      expect(faultsOf({}, { from, to })).toEqual([])
    },
  )

  test.each([
    'http://hooks.test/s3cret',
    'http://10.0.0.1/s3cret',
    'http://localhost.s3cret.test',
    'http://127.0.0.1.s3cret.test',
    'ftp://s3cret',
    's3cret',
    'nats://host/s3cret',
    'nats://host?s3cret',
    'nats:s3cret',
  ])('error: %s is rejected, and not shown', (to) => {
    for (const [environment, options, name] of [
      [{}, { from, to }, '--to'],
      [{ FORWARD_TO: to }, { from }, 'FORWARD_TO'],
    ] as const) {
      const faults = faultsOf({ FORWARD_SECRET: secret, ...environment }, options)
      expect(faults).toEqual([
        expect.stringMatching(new RegExp(`^${name} must be a URL that starts with https://`)),
      ])
      expect(faults.join()).not.toContain('s3cret')
    }
  })

  test.each([
    'short',
    'whsec_',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    `${secret}!`,
    secret.slice('whsec_'.length),
    `${secret.slice(0, -4)}====`,
  ])('error: the secret %s is malformed, and not shown', (text) => {
    const faults = faultsOf({ FORWARD_SECRET: text }, { from, to })
    expect(faults).toEqual(['FORWARD_SECRET must be whsec_ followed by 24 to 64 bytes in Base64'])
  })

  test('error: all missing settings are reported together', () => {
    expect(faultsOf({})).toEqual([
      '--from is missing: name the server, or set FORWARD_FROM',
      '--to is missing: name the target, or set FORWARD_TO',
    ])
    expect(faultsOf({ FORWARD_SECRET: secret }, { replay: true })).toEqual([
      '--to is missing: name the target, or set FORWARD_TO',
    ])
    expect(faultsOf({ NATS_CREDS: '/none/x' }, { from, to: 'nats://a' })).toEqual([
      'NATS_CREDS is "/none/x": it cannot be read (ENOENT); name a file that this user can read',
    ])
  })

  test('behavior: everything of a URL but its host is a secret', () => {
    const settings = readForwardSettings(
      { FORWARD_SECRET: secret },
      { from: 'http://a:fr0m@b', to: 'https://us3r:pa55@hooks.test/p4th?t=0ken' },
    )
    expect(forwardSecrets(settings)).toEqual(
      expect.arrayContaining(['fr0m', 'us3r', 'pa55', '0ken', '/p4th', secret, secret.slice(6)]),
    )
  })
})
