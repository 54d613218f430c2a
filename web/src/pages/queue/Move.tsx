import { App } from "antd";
import { useTranslation } from "react-i18next";
import { api, type Schemas } from "@/api/client";
import { keys, queries } from "@/app/queries";
import { Said } from "@/shared/said";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { planMove, type Way } from "./plan_move";

type Entry = Schemas["QueueEntry"];
export type Move = (entry: Entry, way: Way) => void;

const NAMED = 5;

/** Moves a job after saying who goes back for it. */
export function useMove(entries: Entry[]): Move {
  const { t } = useTranslation("queue");
  const { modal, message } = App.useApp();
  return (entry, way) => {
    const plan = planMove(entries, entry, way);
    if (!plan) return;
    const names = plan.back
      .slice(0, NAMED)
      .map((one) => one.name)
      .join(t("comma"));
    void modal.confirm({
      title: t(`move_ask.${way}`, { name: entry.name, position: plan.to }),
      content:
        way === "down"
          ? t("move_down_text", { name: entries[plan.to - 1]?.name ?? "" })
          : t(plan.back.length > NAMED ? "move_back_more" : "move_back", { names, count: plan.back.length }),
      okText: t(`moves.${way}`),
      cancelText: t("cancel"),
      onOk: async () => {
        try {
          await api.POST("/api/v1/jobs/{id}/move", {
            params: { path: { id: plan.job } },
            body: { before: plan.before },
          });
          void message.success(t("moved", { name: entry.name, position: plan.to }));
        } catch (error) {
          void message.error({
            content: <Said text={error instanceof Error ? error.message : String(error)} />,
            duration: 8,
          });
        }
        await queries.invalidateQueries({ queryKey: keys.queue });
        for (const one of entries) void queries.invalidateQueries({ queryKey: keys.job(one.id ?? "") });
      },
    });
  };
}

const ways: Array<[Way, IconName]> = [
  ["front", "front"],
  ["up", "up"],
  ["down", "bottom"],
];

export function MoveButtons({ entry, count, move }: { entry: Entry; count: number; move: Move }) {
  const { t } = useTranslation("queue");
  const position = entry.position ?? 0;
  return (
    <span className="queue-moves">
      {ways.map(([way, icon]) => {
        const words = t("move_button", { way: t(`moves.${way}`), name: entry.name });
        return (
          <button
            key={way}
            type="button"
            className="icon-button"
            title={t(`moves.${way}`)}
            aria-label={words}
            disabled={way === "down" ? position >= count : position <= 1}
            onClick={() => move(entry, way)}
          >
            <Icon name={icon} />
          </button>
        );
      })}
    </span>
  );
}
