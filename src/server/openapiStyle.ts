import { readFile } from 'node:fs/promises'
import swaggerPath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import framePath from '../site/frame.css' with { type: 'file' }
import tokensPath from '../site/tokens.css' with { type: 'file' }
import ownPath from './openapi.css' with { type: 'file' }

/** Returns the style of the API's page: Swagger's own, light or dark as the reader's system is, in the explorer's look. */
export async function openapiStyle(): Promise<string> {
  const [swagger, ...own] = await Promise.all(
    [swaggerPath, tokensPath, framePath, ownPath].map((path) => readFile(path, 'utf8')),
  )
  return [swagger, darkByScheme(swagger ?? ''), ...own].join('\n')
}

const DARK_RULE = /[^{}]*html\.dark-mode[^{}]*\{[^{}]*\}/g

/** Swagger turns dark by a class that only a script of its standalone page sets: here the reader's system says so. */
function darkByScheme(css: string): string {
  const rules = css.match(DARK_RULE) ?? []
  return `@media (prefers-color-scheme: dark) {${rules.join('').replaceAll('html.dark-mode', 'html:root')}}`
}
