import { byId } from "./dom.js";

const KEY = "lamp-eval-theme";

/** Sets the remembered theme and the button that moves on to the next one. Returns what the button does. */
export function startTheme(): () => void {
  const button = byId("theme", HTMLButtonElement);
  const themes: readonly string[] = themesFor(matchMedia("(prefers-color-scheme: dark)").matches);
  let index = Math.max(0, themes.indexOf(remembered()));
  const apply = (): void => {
    const theme = themes[index]!;
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  const next = (): void => {
    index = (index + 1) % themes.length;
    apply();
    remember(themes[index]!);
  };
  button.addEventListener("click", next);
  apply();
  return next;
}

/** The order of the themes. `auto` is followed by the theme that it does not look like, so that every press shows a change. */
const themesFor = (isDark: boolean): readonly string[] =>
  isDark ? ["auto", "light", "dark"] : ["auto", "dark", "light"];

/** The stored theme; empty where none is stored, or the browser stores nothing for pages opened from files. */
function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // the theme then lasts as long as the page
  }
}
