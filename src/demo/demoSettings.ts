import { Type } from '@sinclair/typebox'
import { logSettings } from '../runtime/log.ts'
import { devnetSettings, listenSettings } from '../runtime/settings/listenSettings.ts'
import { type Environment, parseSettings, withOptions } from '../runtime/settings/settings.ts'

export const demoSettings = Type.Object({
  PORT: withOptions(listenSettings.PORT, { description: 'port of the server; 0 picks a free port' }),
  HOST: withOptions(listenSettings.HOST, {
    description: 'address that the server listens on',
    default: '127.0.0.1',
  }),
  DEVNET_PORT: withOptions(devnetSettings.properties.DEVNET_PORT, {
    description: 'port of the chain',
    defaultText: '11101, or a free port if that is in use',
  }),
  LOG_LEVEL: withOptions(logSettings.LOG_LEVEL, {
    description: "minimum level of the server's log lines on standard error",
    default: 'warn',
  }),
})

export type DemoSettings = ReturnType<typeof readDemoSettings>

/** Reads the demo's settings. An empty variable counts as unset. @throws {SettingsError} with all faults */
export function readDemoSettings(environment: Environment) {
  const { port, host, devnetPort, logLevel } = parseSettings(demoSettings, environment)
  // The address of a free port is only known after the server has started.
  const publicUrl = port === 0 ? {} : { PUBLIC_URL: `http://localhost:${port}` }
  return { devnetPort, server: { HOST: host, PORT: String(port), LOG_LEVEL: logLevel, ...publicUrl } }
}
