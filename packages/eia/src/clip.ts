/** Returns the beginning of a text for an error, because a text from outside may have any length. */
export const clip = (text: string): string => text.slice(0, 80)
