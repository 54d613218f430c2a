import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { holdOpened } from "@/shared/job/opened_file";

/** A job file let go over any page opens on the page Submit job; nothing is submitted by it. */
export function DropAnywhere() {
  const { t } = useTranslation("app");
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const carriesFiles = (event: DragEvent) => Boolean(event.dataTransfer?.types.includes("Files"));
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const allow = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      holdOpened([...event.dataTransfer.files]);
      if (pathname !== "/jobs/new") navigate("/jobs/new");
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", allow);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", allow);
      removeEventListener("drop", drop);
    };
  }, [navigate, pathname]);
  return over ? (
    <div className="drop-veil" aria-hidden="true">
      <p>{t("drop")}</p>
    </div>
  ) : null;
}
