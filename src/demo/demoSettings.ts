import { logLevelSetting } from '../runtime/log.ts'
import { integer, word } from '../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../runtime/settings.ts'

/** What of the environment a demo takes; all else is its own. */
export interface DemoSettings {
  devnetPort: number
  /** As the server's environment has them. */
  server: { HOST: string; PORT: string; LOG_LEVEL: string }
}

const port = integer(0, 65_535)

/** Reads a demo's settings; an empty one is as good as none. Throws a `SettingsError` that names every fault. */
export function readDemoSettings(environment: Environment): DemoSettings {
  const reader = createSettingsReader(environment)
  const settings = {
    devnetPort: reader.optional({ name: 'DEVNET_PORT', parse: port }, 11_101),
    server: {
      HOST: reader.optional({ name: 'HOST', parse: word('an address or host name') }, '127.0.0.1'),
      PORT: String(reader.optional({ name: 'PORT', parse: port }, 4030)),
      LOG_LEVEL: reader.optional(logLevelSetting, 'warn'),
    },
  }
  reader.end()
  return settings
}
