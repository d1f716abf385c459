import { Type } from '@sinclair/typebox'
import { devnetSettings, listenSettings } from '../runtime/listenSettings.ts'
import { logSettings } from '../runtime/log.ts'
import { type Environment, parseSettings, withOptions } from '../runtime/settings.ts'

/** A demo's settings. */
export const demoSettings = Type.Object({
  PORT: withOptions(listenSettings.PORT, { description: 'where the server listens; 0 takes a free port' }),
  HOST: withOptions(listenSettings.HOST, {
    description: 'address that it listens on',
    default: '127.0.0.1',
  }),
  DEVNET_PORT: withOptions(devnetSettings.properties.DEVNET_PORT, {
    description: 'where the chain listens',
    defaultText: '11101, or a free port where that is taken',
  }),
  LOG_LEVEL: withOptions(logSettings.LOG_LEVEL, {
    description: 'what the server tells on standard error',
    default: 'warn',
  }),
})

/** What a demo reads from the environment. */
export type DemoSettings = ReturnType<typeof readDemoSettings>

/** Reads a demo's settings; an empty one counts as unset. @throws {SettingsError} with every fault */
export function readDemoSettings(environment: Environment) {
  const { PORT, HOST, DEVNET_PORT, LOG_LEVEL } = parseSettings(demoSettings, environment)
  return { devnetPort: DEVNET_PORT, server: { HOST, PORT: String(PORT), LOG_LEVEL } }
}
