/** Writes the documentation as a static site: `bun run docs:site`. It has the pages that a server has at `/docs`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { docsFiles } from '../src/web/docs/docsFiles.ts'
import { listBrokenLinks } from './docsSite/listBrokenLinks.ts'
import { replaceFolder } from './docsSite/replaceFolder.ts'
import { staticSite } from './docsSite/staticSite.ts'

const help = `
Any host can serve the folder, from any path. Nothing else is needed but for the search, which needs JavaScript.

The command checks each link, and writes nothing if one is broken. It replaces a folder that it wrote before, and refuses to
write into a folder with other files.

Exit code: 0 written; 1 a link is broken, or the folder has other files.

Examples:
  bun run docs:site
  bun run docs:site --base /wattfeed/        for https://somebody.github.io/wattfeed/`

interface Options {
  out: string
  base: string
}

function write({ out, base }: Options): void {
  if (!/^\/(?:[^/?#]+\/)*$/.test(base))
    throw new Error(`--base "${base}" is not a path that starts and ends with a slash, such as /wattfeed/`)
  const icon = readFileSync(join(import.meta.dir, '../src/web/explorer/favicon.svg'), 'utf8')
  const files = staticSite(docsFiles, icon, base)
  const broken = listBrokenLinks(files, base)
  if (broken.length > 0) throw new Error(`these links are broken:\n  ${broken.join('\n  ')}`)
  console.log(`${files.size} files, with no broken link`)
  replaceFolder(out, files)
  console.log(`Wrote ${out}. Open ${join(out, 'index.html')}; the search needs a web server, such as:`)
  console.log(`python3 -m http.server --directory ${out}`)
}

await new Command('docs:site')
  .description('Writes the documentation as a static site.')
  .option('--out <folder>', 'the folder to write', 'dist/docs')
  .option('--base <path>', 'the path of the folder on its host, for the page of missing addresses', '/')
  .addHelpText('after', help)
  .action((options: Options) => {
    try {
      write(options)
    } catch (error) {
      console.error(`docs:site: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  })
  .parseAsync()
