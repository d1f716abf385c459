import { buildExplorer } from './explorerBuild.ts' with { type: 'macro' }

/** The files of the explorer, built when a binary is compiled, or when this module is loaded from source. */
export const explorerFiles = buildExplorer()
