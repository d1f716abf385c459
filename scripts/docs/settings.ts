import { formatSettingsTable } from '../../src/runtime/formatSettings.ts'
import type { Settings } from '../../src/runtime/settings.ts'

/** A program's settings. */
export interface SettingsOf {
  title: string
  settings: Settings
}

export function formatSettingsPage(programs: readonly SettingsOf[]): string {
  const parts = programs.map(({ title, settings }) => `## ${title}\n\n${formatSettingsTable(settings)}`)
  return `# Settings

Settings come from the environment. A value that does not fit its rule stops the program, which names every wrong setting at once. An empty
default means that the setting is off. The help of each command lists the settings that it reads.

${parts.join('\n\n')}
`
}
