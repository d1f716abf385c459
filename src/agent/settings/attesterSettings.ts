import { motes, path } from '../../runtime/parsers.ts'
import type { Setting, SettingsReader } from '../../runtime/settings.ts'

/** The settings of everything that writes to a chain. */
export const attesterSettings = {
  /** Secret key in PEM. */
  keyPath: { name: 'ATTESTER_KEY_PATH', parse: path },
  /** Folder for what must outlive the process. */
  stateDir: { name: 'AGENT_STATE_DIR', parse: path },
  /** What one call pays. */
  paymentMotes: { name: 'PAYMENT_MOTES', parse: motes },
} as const

/** Where state is kept unless a setting says otherwise. */
export const DEFAULT_STATE_DIR = '.wattfeed'

/** Reads a setting that has a default only where nothing is written: whoever pays says where. */
export function readAsked<T, F>(
  reader: SettingsReader,
  setting: Setting<T>,
  fallback: F,
  writes: boolean,
): T | F {
  if (!writes) return reader.optional(setting, fallback)
  return reader.required(setting, fallback, 'what writes to a chain has no default for it')
}
