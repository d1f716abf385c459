/**
 * Ends this process when the one that started it is gone. Only a parent with a channel to this process, as the demo has, is
 * noticed. A killed demo cannot stop its programs itself.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(1))
}
