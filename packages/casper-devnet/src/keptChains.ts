import type { ChainView } from './chain/chainView.ts'

const chains = new WeakMap<object, ChainView>()

/** Remembers the chain of a devnet, which its own type does not show. */
export function keepChain(devnet: object, chain: ChainView): void {
  chains.set(devnet, chain)
}

/** Returns the chain of a devnet. The package does not export it: tests serve it with faults. */
export function chainOf(devnet: object): ChainView {
  const chain = chains.get(devnet)
  if (chain === undefined) throw new TypeError('createDevnet has not made this chain')
  return chain
}
