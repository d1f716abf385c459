import { formatSettings } from '../runtime/formatSettings.ts'
import { serverSettings } from './config.ts'

/** The settings, for people who ask for help at a terminal. */
export const settingsHelp = `
Settings, all optional, from the environment:
${formatSettings(serverSettings)}

The defaults read the public test network. The log goes to standard error, a JSON object a line.`
