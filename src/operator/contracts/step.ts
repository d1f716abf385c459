import { type ContractName, type WiredContract, wiringCalls } from 'wattfeed/internal'

export type Step =
  | { kind: 'install' | 'upgrade'; contract: ContractName }
  | { kind: 'wire'; contract: WiredContract }

/** Describes a step: `install FeedRegistry`, `FeedRegistry.set_eligibility_gate`. */
export function describeStep(step: Step): string {
  if (step.kind === 'wire') return `${step.contract}.${wiringCalls[step.contract].entryPoint}`
  return `${step.kind} ${step.contract}`
}

export const isSameStep = (one: Step, other: Step): boolean =>
  one.kind === other.kind && one.contract === other.contract
