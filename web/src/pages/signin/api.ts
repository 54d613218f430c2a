import type { Problem } from "@/api/client";
import type { Sentence } from "@/shared/messages/wording";

/** Why somebody was not let in: a word this page knows, or the server's own. */
export type Fault = "wrong" | "later" | "used" | "offline" | Sentence;

// The client of the API is as large as all of this page; three plain requests do.

export async function signIn(body: { user: string; password: string } | { link: string }): Promise<Fault | null> {
  try {
    const answer = await fetch("/api/v1/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return null;
    if (answer.status === 429) return "later";
    const problem = (await answer.json().catch(() => null)) as Problem | null;
    if (answer.status === 401) return "link" in body ? "used" : "wrong";
    return problem ?? { message: answer.statusText };
  } catch {
    return "offline";
  }
}

export const isSignedIn = (): Promise<boolean> =>
  fetch("/api/v1/users/me").then(
    (answer) => answer.ok,
    () => false,
  );

/** Gets the page itself on its way while the password is being typed. */
export async function prefetchPage(): Promise<void> {
  const html = await fetch("/", { headers: { Accept: "text/html" } }).then((answer) => answer.text());
  for (const [, address] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)) {
    const link = document.createElement("link");
    link.rel = address?.endsWith(".css") ? "prefetch" : "modulepreload";
    link.href = address ?? "";
    document.head.append(link);
  }
}
