import { QueryClientProvider } from "@tanstack/react-query";
import { App as AntApp, ConfigProvider } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { RouterProvider } from "react-router-dom";
import { queries } from "@/api/queries";
import { languageNow } from "@/shared/language";
import { nonce } from "@/shared/nonce";
import { useNarrow } from "@/shared/hooks/useNarrow";
import { usePreference } from "@/shared/preferences";
import { useTheme } from "@/shared/theme";
import { router } from "./router";
import { antdThemeFor } from "./theme";

type AntLocale = NonNullable<React.ComponentProps<typeof ConfigProvider>["locale"]>;
// Ant Design's own words are few: OK, Cancel, the months. They come after the first paint.
const antLocales = {
  zh: () => import("antd/locale/zh_CN"),
  en: () => import("antd/locale/en_GB"),
};

export function App() {
  const { i18n } = useTranslation();
  const { name } = useTheme();
  const narrow = useNarrow();
  const [density] = usePreference("density", "comfortable");
  const [locale, setLocale] = useState<AntLocale>();
  useEffect(() => {
    let current = true;
    void antLocales[languageNow()]().then((module) => {
      if (current) setLocale(module.default);
    });
    return () => {
      current = false;
    };
  }, [i18n.language]);
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
  return (
    <ConfigProvider
      theme={antdThemeFor(name, narrow)}
      locale={locale}
      csp={{ nonce }}
      // Otherwise 提交 becomes 提 交, for readers and for tests.
      button={{ autoInsertSpace: false }}
      wave={{ disabled: true }}
    >
      <AntApp component={false} message={{ maxCount: 4 }}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} future={{ v7_startTransition: true }} />
        </QueryClientProvider>
      </AntApp>
    </ConfigProvider>
  );
}
