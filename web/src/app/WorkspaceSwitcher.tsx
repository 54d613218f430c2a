import { useTranslation } from "react-i18next";
import { useMe } from "@/api/session";
import { useWorkspace } from "@/shared/hooks/useWorkspace";
import { Icon } from "@/shared/ui/Icon";
import { Menu } from "@/shared/ui/Menu";

export function WorkspaceSwitcher() {
  const { t } = useTranslation("app");
  const me = useMe();
  const [current, setCurrent] = useWorkspace();
  const items = [
    { key: "*", label: t("all_workspaces") },
    ...me.workspaces.map((workspace) => ({
      key: workspace.name,
      label: (
        <span className="row">
          <span className="grow">{workspace.name}</span>
          <span className="quiet">{t(`role.${workspace.role}`)}</span>
        </span>
      ),
    })),
  ];
  return (
    <Menu items={items} selected={current || "*"} onChoose={(key) => setCurrent(key === "*" ? "" : key)}>
      <button
        type="button"
        className="workspace-button"
        aria-label={t("workspace", { name: current || t("all_workspaces") })}
      >
        <span className="cut">{current || t("all_workspaces")}</span>
        <Icon name="down" size={12} />
      </button>
    </Menu>
  );
}
