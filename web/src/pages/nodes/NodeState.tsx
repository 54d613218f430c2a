import { useTranslation } from "react-i18next";
import { useSaid } from "@/shared/messages";
import { StateShape } from "@/shared/ui/StateTag";
import type { Node } from ".";

/** Well, or what is wrong. */
export function NodeState({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const said = useSaid();
  return node.healthy === false ? (
    <span className="node-state fault">
      <StateShape state="failed" /> {said(node, "problem") || t("down")}
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
