import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nullIfMissing } from '@wattfeed/base'
import { acquireLock, findHolder } from '@wattfeed/base/disk'
import { exitOnSignals } from '../runtime/stopSignal.ts'

/** A temporary folder of this process, for its keys and its chain. */
export interface DemoFolder extends Disposable {
  path: string
}

const PREFIX = 'wattfeed-demo-'

/** The kernel releases the lock of a process that ends, however it ends. */
const lockOf = (path: string): string => join(path, 'demo')

/** Signals that end a process by default, besides those that stop the demo. */
const otherSignals = [
  'SIGQUIT',
  'SIGABRT',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGUSR1',
  'SIGUSR2',
  'SIGXCPU',
] as const

/**
 * Creates a folder that is removed when it is disposed of, or when the process ends by any signal that it can receive.
 * Removes the folders of demos that have ended otherwise, as by SIGKILL.
 */
export function createDemoFolder(): DemoFolder {
  removeLeftFolders()
  exitOnSignals(otherSignals)
  const path = mkdtempSync(join(tmpdir(), PREFIX))
  // Synchronously: otherwise interrupted work could recreate it.
  const remove = (): void => removeFolder(path)
  process.on('exit', remove)
  const lock = acquireLock(lockOf(path), 'demo')
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove)
      lock[Symbol.dispose]()
      remove()
    },
  }
}

/** Removes the keys first: if a program that still runs adds a file meanwhile, the folder itself cannot be removed. */
function removeFolder(path: string): void {
  for (const name of listNames(path)) if (name.endsWith('.pem')) rmSync(join(path, name), { force: true })
  rmSync(path, { recursive: true, force: true })
}

/** Two demos that start at once find the same folders: one of them is first. */
function listNames(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    nullIfMissing(error)
    return []
  }
}

function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name)
    if (name.startsWith(PREFIX) && isLeft(path)) removeFolder(path)
  }
}

/**
 * Whether a folder is this user's and its demo has ended. A demo makes the lock's file after it has the lock. So a folder
 * without it is that of a demo that is starting, or of something else.
 */
function isLeft(path: string): boolean {
  const folder = lstatSync(path, { throwIfNoEntry: false })
  if (folder?.isDirectory() !== true || folder.uid !== process.getuid?.()) return false
  const lock = lockOf(path)
  const isMade = lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true
  return isMade && findHolder(lock) === null
}
