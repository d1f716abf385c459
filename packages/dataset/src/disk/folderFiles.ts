import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { nullIfMissing, systemReason } from '@wattfeed/base'
import { DatasetError } from '../errors.ts'
import type { SnapshotFiles } from '../snapshotFiles.ts'

/** Reads the files of a snapshot from its folder. A link that leads out of the folder is an error. */
export function folderFiles(folder: string): SnapshotFiles {
  return {
    async read(path, maxBytes) {
      const file = join(folder, path)
      const root = await realpath(folder).catch(nullIfAbsent)
      const real = await realpath(file).catch(nullIfAbsent)
      if (root === null || real === null) return null
      if (!real.startsWith(`${root}${sep}`))
        throw new DatasetError({ what: path, rule: 'leads out of the folder' })
      // Opening a pipe would wait for its other end.
      await using handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
      const stat = await handle.stat()
      if (!stat.isFile()) throw new DatasetError({ what: path, rule: 'is not a regular file' })
      if (stat.size > maxBytes)
        throw new DatasetError({ what: path, rule: `is larger than ${maxBytes} bytes` })
      return new Uint8Array(await handle.readFile())
    },
  }
}

/** Nothing is there either if a file has the name of a folder above it. */
const nullIfAbsent = (error: unknown): null =>
  systemReason(error) === 'ENOTDIR' ? null : nullIfMissing(error)
