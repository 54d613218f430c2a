import { useEffect } from "react";
import { useRouteError } from "react-router-dom";
import { ErrorFace } from "@/shared/ui/Face";

const RELOADED = "ty.reloaded";

/** A page that could not be loaded or drawn. After an upgrade the old page's parts are gone: a reload brings the new. */
export function BrokenRoute() {
  const error = useRouteError();
  const stale = error instanceof Error && /import|module|preload/i.test(error.message);
  useEffect(() => {
    if (!stale || sessionStorage.getItem(RELOADED) === location.pathname) return;
    sessionStorage.setItem(RELOADED, location.pathname);
    location.reload();
  }, [stale]);
  return <ErrorFace error={error} retry={() => location.reload()} />;
}
