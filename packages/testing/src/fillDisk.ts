import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemReason } from '@wattfeed/base'

/** Fills the disk of a folder with a file. Disposing of it frees the space. */
export function fillDisk(folder: string): Disposable {
  const path = join(folder, 'filling')
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, new Uint8Array(4_096))
  } catch (error) {
    if (systemReason(error) !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return { [Symbol.dispose]: () => rmSync(path) }
}
