import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { $ } from 'bun'

const root = join(import.meta.dir, '..')

/**
 * Writes the declarations of files and of all that they import into a folder, at their paths in the repository. They name no
 * package of the repository, because who installs a tarball has none of them. A name leads to the file that declares it, not
 * through the package's entry: that would bring declarations that need the types of a runtime.
 */
export async function emitTypes(files: readonly string[], folder: string): Promise<void> {
  await runTsc(files, folder)
  const reached = new Set<string>()
  for (const file of files) follow(join(folder, declarationOf(file)), folder, reached)
  for (const name of readdirSync(folder, { recursive: true }).map(String))
    if (name.endsWith('.d.ts') && !reached.has(join(folder, name))) rmSync(join(folder, name))
}

const declarationOf = (file: string): string => file.replace(/\.(ts|js)$/, '.d.ts')

async function runTsc(files: readonly string[], folder: string): Promise<void> {
  const config = join(root, `tsconfig.${process.pid}.json`)
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rewriteRelativeImportExtensions: true,
    rootDir: root,
    outDir: folder,
    // A package that is resolved in node_modules has no declarations written.
    paths: Object.fromEntries([...entryFiles].map(([name, file]) => [name, [`./${file}`]])),
  }
  const include = [...files, 'src/assets.d.ts']
  writeFileSync(config, JSON.stringify({ extends: './tsconfig.json', compilerOptions, include }))
  try {
    await $`${process.execPath} x tsc -p ${config} --checkers 1`.cwd(root)
  } finally {
    rmSync(config)
  }
}

/** The file of each entry of each package, by its name: paths in the repository. */
const entryFiles: ReadonlyMap<string, string> = new Map(
  readdirSync(join(root, 'packages')).flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
    return Object.entries<string>(exports).map(([entry, file]): [string, string] => [
      join(name, entry),
      join('packages', folder, file),
    ])
  }),
)

const NAMED = /^(import|export)( type)? \{([^}]*)\} from '(@?wattfeed(?:\/[^']+)?)';$/gm
const INLINE = /import\("(@?wattfeed(?:\/[^"]+)?)"\)\.(\w+)/g
const COMMENT = /\/\*.*?\*\//gs
const RELATIVE = /(?:from |import\()['"](\.[^'"]+)['"]/g

/** Writes the names of packages in a file of declarations as paths, and follows its imports. */
function follow(path: string, folder: string, reached: Set<string>): void {
  if (reached.has(path)) return
  reached.add(path)
  const text = readFileSync(path, 'utf8')
  const statements = text.replaceAll(NAMED, (_, verb: string, type = '', names: string, entry: string) =>
    names
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map((each) => `${verb}${type} { ${each} } from '${pathTo(each, entry, path, folder)}';`)
      .join('\n'),
  )
  const named = statements.replaceAll(
    INLINE,
    (_, entry: string, name: string) => `import("${pathTo(name, entry, path, folder)}").${name}`,
  )
  // An example in a comment may name one.
  if (/['"]@?wattfeed['"/]/.test(named.replaceAll(COMMENT, '')))
    throw new Error(`${path} names a package in a form that is not known`)
  if (named !== text) writeFileSync(path, named)
  for (const [, to = ''] of named.matchAll(RELATIVE)) {
    const target = join(dirname(path), declarationOf(to))
    if (existsSync(target)) follow(target, folder, reached)
  }
}

/** The path from a file of declarations to the one that declares what an entry exports. */
function pathTo(specifier: string, entry: string, from: string, folder: string): string {
  const [, name = ''] = /^(?:type )?(\w+)/.exec(specifier) ?? []
  const index = entryFiles.get(entry)
  if (index === undefined) throw new Error(`no package of the repository has the entry ${entry}`)
  const lines = readFileSync(join(root, index), 'utf8').matchAll(
    /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm,
  )
  const [, , file] = [...lines].find(([, names = '']) => new RegExp(`\\b${name}\\b`).test(names)) ?? []
  if (file === undefined) throw new Error(`${index} does not export ${name}`)
  const to = relative(dirname(from), join(folder, dirname(index), file)).replace(/\.ts$/, '.js')
  return to.startsWith('.') ? to : `./${to}`
}
