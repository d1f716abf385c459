import { buildExplorer } from './explorerBuild.ts' with { type: 'macro' }

/** The files of the explorer: built when this module is loaded from source, and when a binary is compiled. */
export const explorerFiles = buildExplorer()
