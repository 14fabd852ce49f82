// theme.js runs before the page is drawn, so that a chosen theme does not flash in late. Without a
// choice the page follows the system.
"use strict";
{
  const apply = () => {
    let theme = null;
    try {
      theme = localStorage.getItem("retrylab.theme");
    } catch { /* storage is refused: follow the system */ }
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  apply();
  addEventListener("storage", apply); // another tab has changed it
}
