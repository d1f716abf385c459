import { describe, expect, test } from 'bun:test'
import { demoSettings, readDemoSettings } from '../../src/demo/demoSettings.ts'
import { SettingsError } from '../../src/runtime/settings/settings.ts'
import { namesRead } from '../support/namesRead.ts'

const defaults = {
  devnetPort: 11_101,
  server: {
    HOST: '127.0.0.1',
    PORT: '4030',
    LOG_LEVEL: 'warn' as const,
    PUBLIC_URL: 'http://localhost:4030',
  },
}

describe('readDemoSettings', () => {
  test('default: everything is on this machine', () => {
    expect(readDemoSettings({})).toEqual(defaults)
    expect(readDemoSettings({ HOST: '', PORT: ' ', DEVNET_PORT: '', LOG_LEVEL: '' })).toEqual(defaults)
  })

  test('default: exactly the declared settings are read', () => {
    const declared = Object.keys(demoSettings.properties)
    expect(namesRead(readDemoSettings).sort()).toEqual(declared.sort())
  })

  test('behavior: settings of the demo apply, others are ignored', () => {
    const environment = { HOST: '0.0.0.0', PORT: '0', DEVNET_PORT: ' 0 ', LOG_LEVEL: 'info', VERIFY: 'full' }
    expect(readDemoSettings(environment)).toEqual({
      devnetPort: 0,
      server: { HOST: '0.0.0.0', PORT: '0', LOG_LEVEL: 'info' },
    })
  })

  test('error: every fault, with the demo’s own defaults', () => {
    const environment = { HOST: 'a b', PORT: '65536', DEVNET_PORT: '-1', LOG_LEVEL: 'loud' }
    expect(() => readDemoSettings(environment)).toThrow(
      new SettingsError({
        faults: [
          'PORT is "65536": it must be a whole number from 0 to 65535; unset it for 4030',
          'HOST is "a b": it must be an address or host name without spaces; unset it for 127.0.0.1',
          'DEVNET_PORT is "-1": it must be a whole number from 0 to 65535; unset it for 11101',
          'LOG_LEVEL is "loud": it must be one of trace, debug, info, warn, error, fatal, silent; unset it for warn',
        ],
      }),
    )
  })
})
