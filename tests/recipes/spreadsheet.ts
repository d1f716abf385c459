import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'node:path/posix'
import { runToEnd } from '../support/program.ts'

/** A cell as LibreOffice understands it: a number, a date, or text. */
export interface Cell {
  type: 'float' | 'date' | 'string'
  /** The number, the date as ISO 8601, or the text. */
  value: string
}

/** Settings of a user whose system has a language. */
const languageSettings = (language: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
  <item oor:path="/org.openoffice.Setup/L10N">
    <prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${language}</value></prop>
  </item>
</oor:items>`

/**
 * Runs a command of LibreOffice that converts a table, in a folder and in a user's language. Converts to its flat XML
 * instead, which names the type of each cell.
 */
export async function openInLibreOffice(
  command: string,
  folder: string,
  language: string,
): Promise<Cell[][]> {
  const profile = join(folder, `profile-${language}`)
  await Bun.write(join(profile, 'user/registrymodifications.xcu'), languageSettings(language))
  const script = command
    .replace('soffice', `soffice -env:UserInstallation=file://${profile}`)
    .replace('--convert-to xlsx', '--convert-to fods')
  const { exitCode, stderr } = await runToEnd(
    ['bash', '-euc', script],
    { PATH: process.env.PATH ?? '', HOME: folder },
    folder,
  )
  const [file] = readdirSync(folder).filter((name) => parse(name).ext === '.fods')
  if (exitCode !== 0 || file === undefined) throw new Error(`LibreOffice ended with ${exitCode}: ${stderr}`)
  return readCells(readFileSync(join(folder, file), 'utf8'))
}

function readCells(xml: string): Cell[][] {
  const rows = xml.match(/<table:table-row\b.*?<\/table:table-row>/gs) ?? []
  return rows.map((row) =>
    [...row.matchAll(/<table:table-cell\b([^>]*)>(.*?)<\/table:table-cell>/gs)].flatMap(
      ([, attributes = '', content = '']) => {
        // Equal cells beside each other are one element.
        const times = /table:number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? '1'
        return Array.from({ length: Number(times) }, () => readCell(attributes, content))
      },
    ),
  )
}

function readCell(attributes: string, content: string): Cell {
  const read = (name: string) => new RegExp(`office:${name}="([^"]*)"`).exec(attributes)?.[1]
  const type = read('value-type') as Cell['type']
  const text = content.replace(/<[^>]*>/g, '').trim()
  return { type, value: read('value') ?? read('date-value') ?? text }
}
