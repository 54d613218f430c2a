import { useEffect, useRef, useState } from "react";
import { recall, remember } from "@/shared/preferences";
import { useWording } from "@/shared/messages/wording";
import { setTheme, themeNow } from "@/shared/theme";
import { isSignedIn, prefetchPage, signIn, type Fault } from "./api";
import { words } from "./words";
import "./signin.css";

/** Where to go afterwards: what `from` says, if it is a place of this page and no other site. */
export function placeAfter(search: string, origin: string): string {
  const from = new URLSearchParams(search).get("from") ?? "/";
  try {
    const target = new URL(from, origin);
    if (target.origin !== origin || target.pathname === "/signin") return "/";
    return target.pathname + target.search + target.hash;
  } catch {
    return "/";
  }
}

export function SignIn() {
  const [language, setLanguage] = useState<"zh" | "en">(() => {
    const kept = recall("language");
    return kept === "zh" || kept === "en" ? kept : navigator.language.startsWith("zh") ? "zh" : "en";
  });
  const t = words[language];
  const said = useWording(language);
  const [user, setUser] = useState(recall("user") ?? "");
  const [password, setPassword] = useState("");
  const [shown, setShown] = useState(false);
  const [caps, setCaps] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [byLink, setByLink] = useState(() => location.hash.startsWith("#tyl_"));
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.documentElement.lang = language;
    document.title = `${t.title} · Trainyard`;
  }, [language, t]);
  useEffect(() => {
    if (byLink) {
      const link = location.hash.slice(1);
      // Out of the address bar before anything else: history and screenshots must not keep it.
      history.replaceState(null, "", location.pathname + location.search);
      void signIn({ link }).then((refused) => {
        if (refused === null) location.replace(placeAfter(location.search, location.origin));
        else {
          setFault(refused);
          setByLink(false);
        }
      });
    } else {
      void isSignedIn().then((known) => {
        if (known) location.replace(placeAfter(location.search, location.origin));
      });
    }
    const timer = setTimeout(() => void prefetchPage().catch(() => undefined), 400);
    return () => clearTimeout(timer);
    // Once, when the page opens.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    const refused = await signIn({ user, password });
    if (refused === null) {
      remember("user", user);
      location.assign(placeAfter(location.search, location.origin));
      return;
    }
    setBusy(false);
    setFault(refused);
    field.current?.focus();
    field.current?.select();
  };
  const refusal = typeof fault === "string" ? t[fault] : said(fault);

  return (
    <div className="signin">
      <div className="signin-tools">
        <button
          type="button"
          lang={language === "zh" ? "en" : "zh"}
          aria-label={t.otherName}
          onClick={() => {
            const next = language === "zh" ? "en" : "zh";
            remember("language", next);
            setLanguage(next);
          }}
        >
          {t.other}
        </button>
        <button type="button" aria-label={t.theme} onClick={() => setTheme(themeNow() === "dark" ? "light" : "dark")}>
          <svg
            viewBox="0 0 20 20"
            width="18"
            height="18"
            aria-hidden="true"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
          >
            <path d="M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14" />
          </svg>
        </button>
      </div>
      <main className="signin-card">
        <h1>Trainyard</h1>
        {byLink ? (
          <p role="status">{t.link}</p>
        ) : (
          <form onSubmit={(event) => void submit(event)}>
            <label htmlFor="user">{t.user}</label>
            <input
              id="user"
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              autoFocus={!user}
              value={user}
              onChange={(event) => setUser(event.target.value)}
            />
            <label htmlFor="password">{t.password}</label>
            <div className="signin-password">
              <input
                ref={field}
                id="password"
                name="password"
                type={shown ? "text" : "password"}
                autoComplete="current-password"
                required
                autoFocus={Boolean(user)}
                value={password}
                aria-describedby="said"
                onChange={(event) => setPassword(event.target.value)}
                onKeyUp={(event) => setCaps(event.getModifierState("CapsLock"))}
              />
              <button
                type="button"
                aria-pressed={shown}
                aria-label={shown ? t.hide : t.show}
                onClick={() => setShown(!shown)}
              >
                <svg
                  viewBox="0 0 20 20"
                  width="18"
                  height="18"
                  aria-hidden="true"
                  fill="none"
                  stroke="currentColor"
                  strokeWidth="1.6"
                >
                  <path d="M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z" />
                  {shown && <path d="M4 16L16 4" />}
                </svg>
              </button>
            </div>
            <p id="said" role="alert" className={refusal ? "signin-fault" : "signin-note"}>
              {refusal || (caps ? t.caps : "")}
            </p>
            <button type="submit" className="signin-enter" disabled={busy}>
              {busy ? t.entering : t.enter}
            </button>
            <p className="signin-note">{t.forgot}</p>
          </form>
        )}
      </main>
    </div>
  );
}
