import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render } from "@testing-library/react";
import { App as AntApp } from "antd";
import i18next from "i18next";
import { Suspense, type ReactNode } from "react";
import { initReactI18next } from "react-i18next";
import { MemoryRouter, Route, Routes } from "react-router-dom";
import { afterEach, vi } from "vitest";
import { queries } from "@/api/queries";
import { meQuery } from "@/api/session";
import { words as english } from "@/app/locales/en";
import { words as chinese } from "@/app/locales/zh";
import type { Language } from "@/shared/language";

// A machine that builds beside the tests makes them slow, not wrong.
// What is hidden is not told from what is not: that costs a style computation for every element.
configure({ asyncUtilTimeout: 40_000, defaultHidden: true });

afterEach(() => {
  cleanup();
  queries.clear();
  vi.unstubAllGlobals();
  localStorage.clear();
});

/** Draws a view as the router would, at an address, in a language. */
export async function show(view: ReactNode, { at = "/", path = "*", language = "en" as Language } = {}) {
  await i18next.use(initReactI18next).init({
    lng: language,
    defaultNS: "app",
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    resources: { en: english, zh: chinese },
  });
  queries.setDefaultOptions({ queries: { ...queries.getDefaultOptions().queries, retry: false } });
  // Pages are drawn once it is known who looks at them.
  await queries.prefetchQuery(meQuery);
  return render(
    <AntApp>
      <QueryClientProvider client={queries}>
        <MemoryRouter initialEntries={[at]} future={{ v7_startTransition: true, v7_relativeSplatPath: true }}>
          <Suspense fallback={null}>
            <Routes>
              <Route path={path} element={view} />
              <Route path="*" element={null} />
            </Routes>
          </Suspense>
        </MemoryRouter>
      </QueryClientProvider>
    </AntApp>,
  );
}
