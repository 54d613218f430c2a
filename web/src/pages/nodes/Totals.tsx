import { useTranslation } from "react-i18next";
import { bytes } from "@/shared/format/bytes";
import type { Totals as Sums } from "./totals";

function Meter({
  label,
  used,
  all,
  down = 0,
  text,
}: {
  label: string;
  used: number;
  all: number;
  down?: number;
  text: string;
}) {
  const part = (count: number) => `${all ? Math.min(100, (count / all) * 100) : 0}%`;
  return (
    <div className="card meter">
      <span className="meter-label">{label}</span>
      <span className="meter-value numbers">{text}</span>
      <span
        className="meter-bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={all || 1}
        aria-valuenow={used}
        aria-valuetext={text}
      >
        <span className="meter-used" style={{ width: part(used) }} />
        <span className="meter-down" style={{ width: part(down) }} />
      </span>
    </div>
  );
}

/** The whole site in one row. */
export function Totals({ totals }: { totals: Sums }) {
  const { t } = useTranslation("nodes");
  return (
    <section className="meters" aria-label={t("totals")}>
      {totals.gpus.map((gpu) => (
        <Meter
          key={gpu.type}
          label={gpu.type || "GPU"}
          used={gpu.used}
          all={gpu.all}
          down={gpu.down}
          text={
            gpu.down
              ? t("gpu_count_down", { used: gpu.used, all: gpu.all, down: gpu.down })
              : t("gpu_count", { used: gpu.used, all: gpu.all })
          }
        />
      ))}
      <Meter
        label={t("cpus")}
        used={totals.cpusUsed}
        all={totals.cpus}
        text={t("core_count", { used: Number(totals.cpusUsed.toFixed(1)), all: totals.cpus })}
      />
      <Meter
        label={t("memory")}
        used={totals.memoryUsed}
        all={totals.memory}
        text={`${bytes(totals.memoryUsed)} / ${bytes(totals.memory)}`}
      />
      <Meter
        label={t("nodes")}
        used={totals.nodes - totals.down}
        all={totals.nodes}
        down={totals.down}
        text={
          totals.down
            ? t("node_count_down", { count: totals.nodes, down: totals.down })
            : t("node_count", { count: totals.nodes })
        }
      />
    </section>
  );
}
