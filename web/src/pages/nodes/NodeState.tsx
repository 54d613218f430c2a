import { useTranslation } from "react-i18next";
import { StateShape } from "@/shared/ui/StateTag";
import type { Node } from ".";

/** Well, or what is wrong. */
export function NodeState({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  return node.healthy === false ? (
    <span className="node-state fault">
      <StateShape state="failed" /> {node.problem || t("down")}
    </span>
  ) : node.draining ? (
    <span className="node-state node-draining">
      <StateShape state="stopping" /> {t("draining")}
    </span>
  ) : (
    <span className="node-state node-well">
      <StateShape state="succeeded" /> {t("healthy")}
    </span>
  );
}
