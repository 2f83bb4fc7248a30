/** Text for XML content and attributes; what XML 1.0 does not allow, lone surrogates too, becomes U+FFFD. */
export function xml(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
