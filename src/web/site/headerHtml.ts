import { bolt } from './brand.ts'
import { type PlacePath, places } from './places.ts'

const boltHtml = `<svg viewBox="${bolt.viewBox}" width="${bolt.width}" height="${bolt.height}" aria-hidden="true"><path d="${bolt.path}" fill="currentColor"/></svg>`

/** Returns the header of a page that is not the explorer's. @param current path of the page in the navigation; null if it has none */
export function headerHtml(current: PlacePath | null): string {
  const links = places.map(
    ([href, name]) =>
      `<li><a href="${href}"${href === current ? ' aria-current="page"' : ''}>${name}</a></li>`,
  )
  return `<header class="header">
<a class="brand" href="/">${boltHtml}wattfeed</a>
<nav aria-label="Pages"><ul>${links.join('')}</ul></nav>
</header>`
}
