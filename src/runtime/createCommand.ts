import { Command, type OutputConfiguration } from 'commander'
import manifest from '../../package.json' with { type: 'json' }

/** What a URL holds, and what follows an option's `=`, up to the quote or the dot that commander writes after it. */
const VALUES = /(--[^\s=']+=|[a-z][\w+.-]*:\/\/)\S+?(?='?\.?(?:\s|$))/gi

/** Has commander leave out of its errors what may be a secret: it quotes an argument that it does not know. */
const withoutValues: OutputConfiguration = {
  outputError: (text, write) => write(text.replace(VALUES, '$1…')),
}

/** Creates a program's command, with the package's version. Its errors, and those of commands within, leave out values. */
export const createCommand = (name: string): Command =>
  new Command(name).version(manifest.version).configureOutput(withoutValues)
