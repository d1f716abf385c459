import type { ContractStatus, Status } from './status.ts'

/** A status for people. */
export function formatStatus(chainName: string, status: Status): string {
  const { state_root_hash, contracts, unknown, missing_wires, is_complete } = status
  return [
    `${chainName} at state root ${state_root_hash}`,
    ...contracts.map(formatContract),
    ...unknown.map((name) => `${name}\n  not known`),
    is_complete
      ? 'wiring: complete'
      : `wiring: not complete${missing_wires.length > 0 ? ` (${missing_wires.join(', ')}: run wire)` : ''}`,
  ].join('\n')
}

function formatContract({
  contract,
  package_hash,
  is_locked,
  versions,
  entry_points,
  fields,
}: ContractStatus): string {
  return [
    contract,
    `  package ${package_hash}${is_locked ? ', locked: cannot be upgraded' : ''}`,
    ...versions.map(
      ({ version, contract_hash, is_enabled }) =>
        `  version ${version} ${is_enabled ? 'enabled' : 'disabled'} ${contract_hash}`,
    ),
    ...Object.entries(fields).map(([name, value]) => `  ${name} ${value ?? 'not set'}`),
    `  entry points ${entry_points.join(', ')}`,
  ].join('\n')
}
