import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useMe } from "@/api/session";
import { versionQuery } from "@/api/site";
import { CopyText } from "@/shared/ui/CopyText";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { useEngineWords } from "@/shared/engine";
import { Browser } from "./Browser";
import { Users } from "./Users";
import "./settings.css";

const contract = "/api/openapi.yaml";
const schema = "/schema/job.v1.json";

export function Component() {
  const { t } = useTranslation("settings");
  const me = useMe();
  const engineWords = useEngineWords();
  const version = useQuery(versionQuery);
  return (
    <Page title={t("title")} label={t("title")}>
      <Browser />
      {me.administrator ? (
        <Users />
      ) : (
        <section className="card">
          <Face icon="key" title={t("users_forbidden")} actions={<Link to="/me/profile">{t("profile")}</Link>} />
        </section>
      )}
      <section className="card settings-card" aria-labelledby="site">
        <h2 id="site">{t("site")}</h2>
        {version.isPending && <LoadingFace lines={3} />}
        {version.error && <ErrorFace error={version.error} retry={() => void version.refetch()} />}
        {version.data && (
          <dl className="facts">
            <dt>{t("version")}</dt>
            <dd>{version.data.version}</dd>
            <dt>{t("engine")}</dt>
            <dd>{engineWords(version.data.engine)}</dd>
            <dt>{t("address")}</dt>
            <dd>
              <CopyText text={location.origin} />
            </dd>
            <dt>{t("contract")}</dt>
            <dd>
              <a href={contract}>{contract}</a>
            </dd>
            <dt>{t("schema")}</dt>
            <dd>
              <a href={schema}>{schema}</a>
            </dd>
          </dl>
        )}
        <p className="quiet">{t("file_text")}</p>
        <CopyText block text="trainyard serve --config FILE --check-config" />
      </section>
    </Page>
  );
}
