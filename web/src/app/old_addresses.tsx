import { Navigate, useSearchParams, type RouteObject } from "react-router-dom";

// Bookmarks and links in mails from the portals people knew before lead to the matching page.

function OldJobDetail() {
  const [query] = useSearchParams();
  const owner = query.get("username") ?? query.get("userName");
  const name = query.get("jobName");
  return <Navigate to={owner && name ? `/jobs/${encodeURIComponent(`${owner}~${name}`)}` : "/jobs"} replace />;
}

function OldSubmit() {
  const [query] = useSearchParams();
  const owner = query.get("user") ?? query.get("username");
  const name = query.get("jobname") ?? query.get("jobName");
  const again = query.get("op") === "resubmit" && owner && name;
  return <Navigate to={again ? `/jobs/new?from=${encodeURIComponent(`${owner}~${name}`)}` : "/jobs/new"} replace />;
}

const to = (path: string, target: string): RouteObject => ({ path, element: <Navigate to={target} replace /> });

export const oldAddresses: RouteObject[] = [
  to("home.html", "/"),
  to("view.html", "/jobs"),
  to("job-list.html", "/jobs"),
  { path: "job-detail.html", element: <OldJobDetail /> },
  { path: "submit.html", element: <OldSubmit /> },
  { path: "submit_v1.html", element: <OldSubmit /> },
  to("user-profile.html", "/me/profile"),
  to("login.html", "/"),
  to("openai/*", "/"),
];
