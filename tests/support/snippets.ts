import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The texts of a page's fenced blocks in a language, in their order. */
export function snippetsOf(page: string, language: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8')
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block)
}
