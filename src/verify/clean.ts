/** A text that comes from a chain or a server, without what moves a terminal's cursor: anyone may write anything. */
export const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
