import { Help } from 'commander'
import type { Setting, Settings } from './settings.ts'

/** Fits terminals and code hosts without wrapping or scrolling. */
const WIDTH = 120

/** Formats settings for `--help`, in two columns. */
export function formatSettings(settings: Settings): string {
  const list = Object.values(settings)
  const width = Math.max(...list.map(({ name }) => name.length))
  const help = Object.assign(new Help(), { helpWidth: WIDTH })
  return list.map((setting) => help.formatItem(setting.name, width, describe(setting), help)).join('\n')
}

/** Formats settings as a Markdown table. */
export function formatSettingsTable(settings: Settings): string {
  const rows = Object.values(settings).map((setting) => {
    const { name, meaning, parse } = setting
    return `| \`${name}\` | ${formatDefault(setting)} | ${meaning} | ${parse.rule} |`
  })
  return ['| setting | default | meaning | must be |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function describe(setting: Setting<unknown, unknown>): string {
  const value = formatDefault(setting)
  const fallback = value === '' || setting.needed !== undefined ? value : `default ${value}`
  return `${setting.meaning} [${[setting.parse.rule, fallback].filter(Boolean).join('; ')}]`
}

function formatDefault({ default: value, defaultText, needed }: Setting<unknown, unknown>): string {
  const text = defaultText ?? String(value ?? '')
  if (needed === undefined) return text
  return `needed ${needed.when}${text === '' ? '' : `, else ${text}`}`
}
