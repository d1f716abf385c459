import type { Environment as ProgramEnvironment } from '../../program/settings.ts'

/** Environment variables by name. */
export type Environment = ProgramEnvironment
