/** Text with the name and password of every URL in it left out: `http://me:secret@host/` becomes `http://host/`. */
export function withoutLogin(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/gi, "$1");
}
