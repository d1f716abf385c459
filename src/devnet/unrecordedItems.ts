/**
 * Keys of the dictionary items that exist at the recorded state root and that nobody read while
 * recording. A replay that called them absent would be lying.
 */
export const unrecordedItems: ReadonlySet<string> = new Set([
  // FeedRegistry.eligibility_gate and AttestationRegistry.feed_registry, both field 6
  'b6c377c588b78bf5abaa8a3829ce9fe6989dce6c738fccfb896b66eacaaf6b6d',
  // AttestationRegistry.count['UNREGISTERED.VALUE.DAILY']
  '5d169ec88d3f04ac3881b77dae33a1beeb8a049bd15ebae80440c603fdbe3c2e',
  // AttestationRegistry.history['UNREGISTERED.VALUE.DAILY#0']
  '368a0d3d532028faedd8d8039b0c429aee50606e5d0c53fec9818b63d4fd487a',
])
