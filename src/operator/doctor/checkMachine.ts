import { existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { systemReason, writeCure } from '@wattfeed/base'
import { findHolder, formatHolder } from '@wattfeed/base/disk'
import { type AgentSettings, datasetsFolder } from '../../agent/settings/agentSettings.ts'
import { type ClockReading, isClockOff } from '../../runtime/clocks.ts'
import { ListenError, serveHttp } from '../../runtime/serveHttp.ts'
import { type Finding, failed, passed, warned } from './finding.ts'

const MIN_FREE_BYTES = 512 * 1024 ** 2

/** Compares this machine's clock with those of the servers that have answered. */
export function checkClock(clocks: readonly ClockReading[]): Finding {
  const check = 'clock'
  if (clocks.length === 0)
    return warned(check, 'no server has told its time', 'run the command again when one answers')
  const off = clocks.filter(isClockOff)
  const [first] = off
  if (first === undefined) return passed(check, `agrees with ${clocks.map(({ host }) => host).join(', ')}`)
  const seconds = Math.round(Math.abs(first.localMs - first.serverMs) / 1_000)
  const side = first.localMs > first.serverMs ? 'ahead of' : 'behind'
  const others = off.map(({ host }) => host).join(', ')
  return off.length < clocks.length
    ? warned(
        check,
        `this machine’s clock is ${seconds} s ${side} ${others}, but not of the others`,
        'check which is right',
      )
    : failed(
        check,
        `this machine’s clock is ${seconds} s ${side} that of ${others}`,
        'set it, for example with "timedatectl set-ntp true"',
      )
}

/** Checks that each folder can be written to, or made, and has room. */
export function checkFolders(settings: AgentSettings): Finding[] {
  const { agentStateDir: stateDir, archiveFile } = settings
  const datasetsDir = datasetsFolder(settings)
  const isWithin = !relative(stateDir, datasetsDir).startsWith('..')
  return [
    checkFolder('AGENT_STATE_DIR', resolve(stateDir)),
    ...(isWithin ? [] : [checkFolder('DATASETS_DIR', resolve(datasetsDir))]),
    ...(archiveFile === null ? [] : [checkFolder('ARCHIVE_FILE', resolve(dirname(archiveFile)))]),
  ]
}

function checkFolder(setting: string, folder: string): Finding {
  const existing = nearestExisting(folder)
  try {
    // Permissions do not tell of a file system that is mounted read-only, so try it.
    rmdirSync(mkdtempSync(join(existing, '.wattfeed-doctor-')))
  } catch (error) {
    const reason = systemReason(error)
    const what = existing === folder ? 'cannot be written to' : `cannot be created in ${existing}`
    return failed(
      setting,
      `${folder} ${what} (${reason})`,
      `${writeCure(reason)}, or set ${setting} to another folder`,
    )
  }
  const { bavail, bsize } = statfsSync(existing)
  const freeBytes = bavail * bsize
  const created = existing === folder ? '' : ', which the agent will create'
  const found = `${folder}${created}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`
  return freeBytes < MIN_FREE_BYTES
    ? warned(setting, found, `free some space, or set ${setting} to a folder on another disk`)
    : passed(setting, found)
}

function nearestExisting(folder: string): string {
  const parent = dirname(folder)
  return existsSync(folder) || parent === folder ? folder : nearestExisting(parent)
}

/** Checks that nothing else listens on the agent's ports. A running agent on the same folder does. */
export function checkPorts(settings: AgentSettings): Finding[] {
  const {
    agentHost: host,
    agentPort: port,
    agentStateDir: stateDir,
    committeePeers,
    committeeListen,
  } = settings
  const holder = existsSync(stateDir) ? findHolder(join(stateDir, 'lock')) : null
  if (holder !== null)
    return [
      warned(
        'AGENT_PORT',
        `an agent runs on ${stateDir} (${formatHolder(holder)})`,
        'stop it before you start another one',
      ),
    ]
  const own = checkPort('AGENT_PORT', { host, port }, 'set AGENT_HOST and AGENT_PORT to a free address')
  if (committeePeers === null) return [own]
  return [own, checkPort('COMMITTEE_LISTEN', committeeListen, 'set COMMITTEE_LISTEN to a free address')]
}

function checkPort(check: string, { host, port }: { host: string; port: number }, cure: string): Finding {
  try {
    serveHttp({ hostname: host, port, fetch: () => new Response(null, { status: 503 }) }).stop(true)
    return passed(check, `${host}:${port} is free`)
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    return failed(check, `cannot listen on ${host}:${port} (${error.reason})`, cure)
  }
}
