import { settingCells } from '../../src/runtime/settings/formatSettings.ts'
import type { Settings } from '../../src/runtime/settings/settings.ts'

/** A program's settings. */
export interface SettingsOf {
  title: string
  settings: Settings
}

/** Settings of several programs, by subject. Each has a section; the sections of programs have the rest. */
export const sharedSettings: Readonly<Record<string, readonly string[]>> = {
  'Node and chain': [
    'CASPER_RPC_URL',
    'CASPER_RPC_AUTHORIZATION',
    'CASPER_CHAIN_NAME',
    'FEED_REGISTRY_PACKAGE_HASH',
    'ATTESTATION_REGISTRY_PACKAGE_HASH',
    'ELIGIBILITY_GATE_PACKAGE_HASH',
    'RPC_TIMEOUT_MS',
    'RPC_RETRY_AFTER_MAX_MS',
    'RPC_CONCURRENCY',
  ],
  Requests: ['REQUEST_DEADLINE_MS', 'MAX_STALENESS_MS', 'HISTORY_CACHE_MB'],
  Verification: [
    'VERIFY',
    'TRUSTED_BLOCK_HASH',
    'MAX_HEAD_AGE_MS',
    'REQUIRE_ABSENCE_PROOF',
    'CHECKPOINT_FILE',
  ],
  'Key and payment': [
    'ATTESTER_KEY_PATH',
    'ATTESTER_ACCOUNT',
    'AGENT_STATE_DIR',
    'PAYMENT_MOTES',
    'TRANSACTION_TTL_MS',
    'GAS_PRICE_TOLERANCE',
  ],
  Log: ['LOG_LEVEL'],
}

/** A link to a section of the page of settings. */
export const linkSection = (title: string, page = 'settings.md'): string =>
  `[${title.toLowerCase()}](${page}#${title.toLowerCase().replaceAll(' ', '-')})`

/** Returns links to the sections of the shared settings among some. */
export function linkShared(names: readonly string[], page: string): string[] {
  return Object.entries(sharedSettings)
    .filter(([, shared]) => names.some((name) => shared.includes(name)))
    .map(([title]) => linkSection(title, page))
}

const isShared = (name: string): boolean =>
  Object.values(sharedSettings).some((shared) => shared.includes(name))

/** Joins what programs say about one setting: once if they agree, otherwise each with the programs. */
function join(said: readonly { program: string; text: string }[]): string {
  const texts = [...new Set(said.map(({ text }) => text))]
  if (texts.length === 1) return texts[0] ?? ''
  return texts
    .map((text) => {
      const programs = said.filter((each) => each.text === text).map(({ program }) => program)
      return `${text || 'none'} (${programs.join(', ')})`
    })
    .join('; ')
}

const HEAD = ['| setting | default | meaning | must be |', '| --- | --- | --- | --- |']

function formatShared(programs: readonly SettingsOf[], [title, names]: [string, readonly string[]]): string {
  const rows = names.map((name) => {
    const said = programs.flatMap(({ title: program, settings }) => {
      const setting = settings.properties[name]
      return setting === undefined ? [] : [{ program, cells: settingCells(setting) }]
    })
    const cells = [0, 1, 2].map((at) =>
      join(said.map(({ program, cells: own }) => ({ program: program.toLowerCase(), text: own[at] ?? '' }))),
    )
    return `| \`${name}\` | ${cells.join(' | ')} |`
  })
  return [`## ${title}`, '', ...HEAD, ...rows].join('\n')
}

function formatProgram({ title, settings }: SettingsOf): string {
  const names = Object.keys(settings.properties)
  const own = names.filter((name) => !isShared(name))
  const links = linkShared(names, '')
  const rows = own.map((name) => {
    const setting = settings.properties[name]
    return `| \`${name}\` | ${setting === undefined ? '' : settingCells(setting).join(' | ')} |`
  })
  return [
    `## ${title}`,
    ...(rows.length > 0 ? ['', ...HEAD, ...rows] : []),
    ...(links.length > 0 ? ['', `${rows.length > 0 ? 'Also' : 'Only'} ${links.join(', ')}.`] : []),
  ].join('\n')
}

export function formatSettingsPage(programs: readonly SettingsOf[]): string {
  const shared = Object.entries(sharedSettings).map((each) => formatShared(programs, each))
  return `# Settings

Settings come from the environment. A value that does not fit its rule stops the program, which names every wrong setting at once. An empty
default means that the setting is off. The help of each command lists the settings that it reads. Where programs differ, their names are
in brackets.

${programs.map(formatProgram).join('\n\n')}

${shared.join('\n\n')}
`
}
