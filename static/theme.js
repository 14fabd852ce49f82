// theme.js keeps the page's theme on this device. It runs before the page is drawn, so that a chosen
// theme does not flash in late; the button is web/theme.go. Without a choice the page follows the system.
"use strict";
// retrylabTheme tells the theme (light, dark or system), after setting it when one is given.
window.retrylabTheme = (chosen) => {
  const key = "retrylab.theme", root = document.documentElement;
  let theme = chosen;
  try {
    if (chosen === undefined) theme = localStorage.getItem(key);
    else localStorage.setItem(key, chosen);
  } catch {
    // Storage is refused: the choice lasts as long as the page.
    if (chosen === undefined) theme = root.dataset.theme;
  }
  if (theme !== "light" && theme !== "dark") theme = "system";
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  return theme;
};
window.retrylabTheme();
addEventListener("storage", () => window.retrylabTheme()); // another tab has changed it
