import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'

const root = join(import.meta.dir, '..')

/** The page of each path in a tarball: paths in the repository. */
export type Pages = ReadonlyMap<string, string>

/** The pages of the library. */
export const libraryPages: Pages = new Map([
  ['README.md', 'packages/wattfeed/README.md'],
  ...['CHANGELOG.md', 'SECURITY.md'].map((name): [string, string] => [name, name]),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name): [string, string] => [`docs/${name}`, `docs/${name}`]),
])

const LINK = /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g

/** The pages of the embedded chain. */
export const devnetPages: Pages = new Map([
  ['README.md', 'packages/casper-devnet/README.md'],
  ['docs/devnet.md', 'docs/devnet.md'],
])

/**
 * Copies pages into the stage of a tarball, with their pictures. A link to a file that the tarball does not have
 * becomes its text; one to a source of the library leads to the declarations.
 */
export async function copyDocuments(stage: string, pages: Pages): Promise<void> {
  for (const [to, from] of pages) {
    const pictures: string[] = []
    const text = readFileSync(join(root, from), 'utf8').replaceAll(
      LINK,
      (link: string, mark: string, label: string, target: string, anchor = '') => {
        if (/^\w+:/.test(target)) return link
        const place = placeOf(normalize(join(dirname(from), target)), stage, pages)
        if (place === null) return mark === '' ? label : ''
        if (place.startsWith('docs/pictures/')) pictures.push(place)
        return `${mark}[${label}](${relative(dirname(to), place)}${anchor})`
      },
    )
    await Bun.write(join(stage, to), text)
    for (const picture of pictures) await cp(join(root, picture), join(stage, picture))
  }
}

/** Where the tarball has a file of the repository; null if it has not. */
function placeOf(path: string, stage: string, pages: Pages): string | null {
  const page = [...pages].find(([, from]) => from === path)
  if (page !== undefined) return page[0]
  if (path.startsWith('docs/pictures/') && !path.endsWith('.webp')) return path
  const declaration = join('types', path.replace(/\.ts$/, '.d.ts'))
  return existsSync(join(stage, declaration)) ? declaration : null
}
