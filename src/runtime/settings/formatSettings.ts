import type { TSchema } from '@sinclair/typebox'
import { Help } from 'commander'
import { ruleOf } from './parseText.ts'
import type { SettingOptions, Settings } from './settings.ts'

/** Wide enough for terminals and code hosts without wrapping or scrolling. */
const WIDTH = 120

export function formatSettings({ properties }: Settings): string {
  const width = Math.max(...Object.keys(properties).map((name) => name.length))
  const help = Object.assign(new Help(), { helpWidth: WIDTH })
  return Object.entries(properties)
    .map(([name, setting]) => help.formatItem(name, width, describe(setting), help))
    .join('\n')
}

export const settingCells = (setting: TSchema): [string, string, string] => [
  formatDefault(setting),
  setting.description ?? '',
  ruleOf(setting),
]

function describe(setting: TSchema): string {
  const value = formatDefault(setting)
  const fallback = value === '' || setting.needed !== undefined ? value : `default ${value}`
  return `${setting.description} [${[ruleOf(setting), fallback].filter(Boolean).join('; ')}]`
}

function formatDefault({ default: value = '', defaultText = String(value), needed }: SettingOptions): string {
  if (needed === undefined) return defaultText
  return `needed ${needed.when}${defaultText === '' ? '' : `, else ${defaultText}`}`
}
