import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '@wattfeed/base'
import { isRoot } from '@wattfeed/dataset'
import { archivePath } from '@wattfeed/dataset/archive'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { InvalidArgumentError } from 'commander'
import { restoreSnapshot } from '../../agent/datasets/restoreSnapshot.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import { plural } from '../plural.ts'
import type { JsonOption, Program } from '../program.ts'

const help = `
Rebuilds a snapshot from the archive beside the others, byte for byte, and checks it as "datasets check --offline" does. The archive
stays as it is. An agent with KEEP_ARCHIVED keeps one. Its next snapshot removes what was restored, beyond KEEP_SNAPSHOTS.

Examples:
  $ bun run datasets restore <root>
  $ bun run datasets restore <root> --from .wattfeed/datasets`

interface Options extends JsonOption {
  from: string
}

export function addRestore(program: Program): void {
  const { terminal } = program
  program
    .add('restore', 'rebuild a snapshot from the archive', help)
    .argument('<root>', 'its root, 64 hex digits', (root) => {
      if (!isRoot(root)) throw new InvalidArgumentError('A root has 64 lower-case hex digits.')
      return root
    })
    .option('--from <dir>', 'folder with a folder for each dataset, or the one of the dataset', 'datasets')
    .action((root: string, { json, from }: Options) =>
      terminal.run({ name: 'restore', json }, async () => {
        const restored = await restoreSnapshot(await findFolder(from, root), root)
        const tell = (values: number, size: number) =>
          terminal.progress(`${values} of ${plural(size, 'value')} checked`)
        const { size } = await checkSnapshot(folderFiles(restored.folder), tell)
        const { folder, isNew } = restored
        return {
          report: { command: 'restore', root, folder, is_new: isNew, size },
          text: formatTable([
            ['folder', folder],
            ['values', String(size)],
            ['files', isNew ? 'restored, and whole' : 'there already, and whole'],
          ]),
        }
      }),
    )
}

/** Returns the folder of the dataset whose archive has a root. @throws {SettingsError} if none has. */
async function findFolder(from: string, root: string): Promise<string> {
  const below = (await readdir(from, { withFileTypes: true }).catch(nullIfMissing)) ?? []
  const folders = [from, ...below.filter((entry) => entry.isDirectory()).map(({ name }) => join(from, name))]
  for (const folder of folders)
    if ((await stat(join(folder, archivePath(root))).catch(nullIfMissing)) !== null) return folder
  throw new SettingsError({
    faults: [`no archive in ${from} has the root ${root}; pass its folder with --from`],
  })
}
