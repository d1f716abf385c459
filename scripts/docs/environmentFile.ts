import type { TSchema } from '@sinclair/typebox'
import { Help } from 'commander'
import { ruleOf } from '../../src/runtime/settings/parseText.ts'
import type { Settings } from '../../src/runtime/settings/settings.ts'

/** An example file of settings, for systemd and Compose. */
export interface EnvironmentFile {
  title: string
  settings: Settings
  /** Names of settings that the unit and the compose file set. The example lacks them. */
  fixed: readonly string[]
  /** Names of settings that the program needs. All others are comments that show the default. */
  needed?: readonly string[]
}

const WIDTH = 100

/** Formats an example file: each setting with its purpose, its rule and its default. */
export function formatEnvironmentFile({ title, settings, fixed, needed = [] }: EnvironmentFile): string {
  const own = Object.entries(settings.properties).filter(([name]) => !fixed.includes(name))
  const parts = own.map(([name, setting]) => {
    const mark = needed.includes(name) ? '' : '#'
    return `${comment(explain(setting))}\n${mark}${name}=${setting.default ?? ''}\n`
  })
  const head = [
    `${title} "bun run docs" writes this file from the tables of settings.`,
    'A line that begins with # and a name shows the default. To change it, remove the # and write your value.',
    'Write values without quotes, $, backslashes, or a comment behind them. Programs differ in how they read those.',
    `The unit and the compose file set ${fixed.join(', ')}.`,
  ]
  return [`${head.map(comment).join('\n')}\n`, ...parts].join('\n')
}

/** What a setting is for, what it must be, and what holds without it if no value says so. */
function explain(setting: TSchema): string {
  const { description = '', default: value, defaultText, needed } = setting
  const rest = [
    `must be ${ruleOf(setting)}`,
    ...(needed === undefined ? [] : [`needed ${needed.when}`]),
    ...(value === undefined && defaultText !== undefined ? [`if unset: ${defaultText}`] : []),
  ]
  return [description, ...rest].map((sentence) => `${capitalize(sentence)}.`).join(' ')
}

const capitalize = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase())

const comment = (text: string): string => new Help().boxWrap(text, WIDTH - 2).replace(/^/gm, '# ')
