import { App } from "antd";
import { useTranslation } from "react-i18next";
import { SaidText } from "@/shared/messages";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { useMoveJob, type Entry } from "./api";
import { planMove, type Way } from "./plan_move";

export type Move = (entry: Entry, way: Way) => void;

const NAMED = 5;

/** Moves a job after saying who goes back for it. */
export function useMove(entries: Entry[]): Move {
  const { t } = useTranslation("queue");
  const { modal, message } = App.useApp();
  const moveJob = useMoveJob();
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
      onOk: () =>
        moveJob.mutateAsync({ job: plan.job, before: plan.before, others: entries }).then(
          () => void message.success(t("moved", { name: entry.name, position: plan.to })),
          (error: Error) => void message.error({ content: <SaidText of={error} />, duration: 8 }),
        ),
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
  const position = entry.position;
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
