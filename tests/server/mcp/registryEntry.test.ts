import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import manifest from '../../../package.json' with { type: 'json' }
import cli from '../../../packages/cli/package.json' with { type: 'json' }
import entry from '../../../server.json' with { type: 'json' }
import { mcpSettings } from '../../../src/server/settings.ts'

const closed = { additionalProperties: false }

/**
 * What the registry's schema of 2025-12-11 requires of the members that the file has, and no other members. So a file that
 * follows these rules follows the schema. The file was also checked with the schema itself, with Python's `jsonschema`.
 */
const rules = Type.Object(
  {
    $schema: Type.Literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
    name: Type.RegExp(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, { minLength: 3, maxLength: 200 }),
    title: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.String({ minLength: 1, maxLength: 100 }),
    version: Type.RegExp(/^\d+\.\d+\.\d+$/),
    packages: Type.Array(
      Type.Object(
        {
          registryType: Type.Literal('npm'),
          registryBaseUrl: Type.Literal('https://registry.npmjs.org'),
          identifier: Type.String(),
          version: Type.RegExp(/^\d+\.\d+\.\d+$/),
          runtimeHint: Type.Literal('npx'),
          transport: Type.Object({ type: Type.Literal('stdio') }, closed),
          packageArguments: Type.Array(
            Type.Object({ type: Type.Literal('positional'), value: Type.String() }, closed),
          ),
          environmentVariables: Type.Array(
            Type.Object(
              { name: Type.String(), description: Type.String(), isSecret: Type.Optional(Type.Boolean()) },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
  },
  closed,
)

test('default: server.json follows the schema of the MCP registry', () => {
  expect([...Value.Errors(rules, entry)]).toEqual([])
})

test('default: it names the package of the program, and its version', () => {
  const [npm] = entry.packages
  expect([entry.version, npm?.version, npm?.identifier, entry.name]).toEqual([
    manifest.version,
    manifest.version,
    cli.name,
    cli.mcpName,
  ])
})

test('default: its settings are those of the command', () => {
  const names = entry.packages.flatMap((each) => each.environmentVariables.map(({ name }) => name))
  expect(names.filter((name) => !(name in mcpSettings.properties))).toEqual([])
})
