import { Command, type OutputConfiguration } from 'commander'
import manifest from '../../package.json' with { type: 'json' }

/** The rest of a URL, and the value after an option's `=`, up to the quote or dot that commander appends. */
const VALUES = /(--[^\s=']+=|[a-z][\w+.-]*:\/\/)\S+?(?='?\.?(?:\s|$))/gi

/** Removes possible secrets from commander's errors, which quote unknown arguments. */
const withoutValues: OutputConfiguration = {
  outputError: (text, write) => write(text.replace(VALUES, '$1…')),
}

/** Creates a program's command, with the package's version. Its errors, and those of its subcommands, omit values. */
export const createCommand = (name: string): Command =>
  new Command(name).version(manifest.version).configureOutput(withoutValues)
