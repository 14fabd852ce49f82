// preview.js tells the page when the quiz that is previewed has been saved. A page that does not take the new text
// itself is loaded anew.
let known;
async function look() {
  try {
    const now = await (await fetch("/preview/changed", { cache: "no-store" })).text();
    if (known !== undefined && now !== known && dispatchEvent(new Event("quizsaved", { cancelable: true }))) location.reload();
    known = now;
  } catch {
    // The preview has ended, or begins anew: ask again.
  }
  setTimeout(look, 1000);
}
look();
