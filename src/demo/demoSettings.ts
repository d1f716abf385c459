import { devnetPort, listenSettings } from '../runtime/listenSettings.ts'
import { logLevelSetting } from '../runtime/log.ts'
import { createSettingsReader, type Environment } from '../runtime/settings.ts'

/** What a demo reads from the environment. */
export interface DemoSettings {
  devnetPort: number
  /** By the names of the server's settings. */
  server: { HOST: string; PORT: string; LOG_LEVEL: string }
}

/** A demo's settings. */
export const demoSettings = {
  port: { ...listenSettings.port, meaning: 'where the server listens; 0 takes a free port' },
  host: { ...listenSettings.host, meaning: 'address that it listens on', default: '127.0.0.1' },
  devnetPort: {
    ...devnetPort,
    meaning: 'where the chain listens',
    defaultText: '11101, or a free port where that is taken',
  },
  logLevel: { ...logLevelSetting, meaning: 'what the server tells on standard error', default: 'warn' },
} as const

/** Reads a demo's settings; an empty one counts as unset. @throws {SettingsError} with every fault */
export function readDemoSettings(environment: Environment): DemoSettings {
  const reader = createSettingsReader(environment, demoSettings)
  const settings = {
    devnetPort: reader.read(demoSettings.devnetPort),
    server: {
      HOST: reader.read(demoSettings.host),
      PORT: String(reader.read(demoSettings.port)),
      LOG_LEVEL: reader.read(demoSettings.logLevel),
    },
  }
  reader.end()
  return settings
}
