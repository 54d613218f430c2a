const TRIES = 6;
const NAMED = /^Unable to preload CSS for (\S+)$/;

/** Asks for a style sheet until it comes; each time a little later. */
function askAgain(address: string, tried: number): void {
  setTimeout(
    () => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
      link.onerror = () => {
        link.remove();
        if (tried < TRIES) askAgain(address, tried + 1);
      };
      document.head.append(link);
    },
    250 * 2 ** tried,
  );
}

/**
 * A part of the page whose style sheet did not get through, on a busy machine or over a lost connection, is shown all the
 * same, and its styles are asked for again: a look that comes late is better than an error in place of a page. A script that
 * did not come is left to BrokenRoute, which loads the page anew.
 */
export function mendStyles(): void {
  addEventListener("vite:preloadError", (event) => {
    const { payload } = event as Event & { payload?: Error };
    const address = NAMED.exec(payload?.message ?? "")?.[1];
    if (!address) return;
    event.preventDefault();
    // The one that failed would keep Vite from ever asking again.
    document.querySelector(`link[href="${CSS.escape(address)}"]`)?.remove();
    askAgain(address, 0);
  });
}
