import { createLog as createProgramLog, type Log as ProgramLog } from '../program/log.ts'

/** What the server logs with. */
export type Log = ProgramLog

/** Makes the server's log. */
export const createLog = createProgramLog
