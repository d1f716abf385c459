import { headerHtml } from '../site/headerHtml.ts'
import type { ContentsGroup } from './contents.ts'

export interface DocsPageParts {
  address: string
  title: string
  /** Body of the page. */
  html: string
  contents: readonly ContentsGroup[]
  /** URLs of assets. */
  style: string
  script: string
  index: string
}

const link = (address: string, title: string, isCurrent: boolean): string =>
  `<li><a href="${address}"${isCurrent ? ' aria-current="page"' : ''}>${Bun.escapeHTML(title)}</a></li>`

/** The search, which its script shows. */
const searchBox = (index: string): string =>
  [
    `<search data-index="${index}" hidden>`,
    '<label for="search">Search the documentation</label>',
    '<input id="search" type="search" autocomplete="off" spellcheck="false"',
    ' role="combobox" aria-autocomplete="list" aria-controls="found" aria-expanded="false">',
    '<div id="found" role="listbox" aria-label="Found sections" hidden></div>',
    '<p id="found-count" role="status"></p>',
    '</search>',
  ].join('\n')

/** Renders a page in the explorer's frame, with the contents. Only the search needs JavaScript. */
export function docsPage({ address, title, html, contents, style, script, index }: DocsPageParts): string {
  const groups = contents.map(
    (group) =>
      `<h2>${Bun.escapeHTML(group.title)}</h2><ul>${group.pages.map((page) => link(page.address, page.title, page.address === address)).join('')}</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)} · wattfeed</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${headerHtml('/docs')}
<div class="docs">
${searchBox(index)}
<nav class="docs-jump" aria-label="Contents"><a href="#contents">Contents</a></nav>
<main id="main" tabindex="-1">
${html}</main>
<nav id="contents" aria-label="Documentation" tabindex="-1">${groups.join('')}</nav>
</div>
</body>
</html>
`
}
