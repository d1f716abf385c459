import { readFile } from 'node:fs/promises'
import swaggerPath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import framePath from '../../site/frame.css' with { type: 'file' }
import tokensPath from '../../site/tokens.css' with { type: 'file' }
import ownPath from './openapi.css' with { type: 'file' }

/** Returns the CSS of the API page: Swagger's own, adapted to the explorer, with dark mode by `prefers-color-scheme`. */
export async function openapiStyle(): Promise<string> {
  const [swagger, ...own] = await Promise.all(
    [swaggerPath, tokensPath, framePath, ownPath].map((path) => readFile(path, 'utf8')),
  )
  return [swagger, darkByScheme(swagger ?? ''), ...own].join('\n')
}

const DARK_RULE = /[^{}]*html\.dark-mode[^{}]*\{[^{}]*\}/g

/** Replaces Swagger's class for dark mode, which only a script of its standalone page sets, by a media query. */
function darkByScheme(css: string): string {
  const rules = css.match(DARK_RULE) ?? []
  return `@media (prefers-color-scheme: dark) {${rules.join('').replaceAll('html.dark-mode', 'html:root')}}`
}
