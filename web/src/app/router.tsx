import { createBrowserRouter, Navigate, type RouteObject } from "react-router-dom";
import { Layout } from "./Layout";
import { BrokenRoute } from "./BrokenRoute";
import { oldAddresses } from "./old_addresses";

/** A page of its own folder and its own chunk; its index.tsx exports `Component`. */
const page = (load: NonNullable<RouteObject["lazy"]>, path: string): RouteObject => ({ path, lazy: load });

export const router = createBrowserRouter([
  {
    element: <Layout />,
    errorElement: <BrokenRoute />,
    children: [
      {
        errorElement: <BrokenRoute />,
        children: [
          { index: true, lazy: () => import("@/pages/overview") },
          page(() => import("@/pages/submit"), "jobs/new"),
          page(() => import("@/pages/jobs"), "jobs"),
          page(() => import("@/pages/job"), "jobs/:id"),
          page(() => import("@/pages/job"), "jobs/:id/:tab"),
          page(() => import("@/pages/queue"), "queue"),
          page(() => import("@/pages/nodes"), "nodes"),
          page(() => import("@/pages/tokens"), "me/tokens"),
          page(() => import("@/pages/account"), "me/profile"),
          page(() => import("@/pages/settings"), "admin/settings"),
          page(() => import("@/pages/health"), "admin/health"),
          page(() => import("@/pages/setup"), "setup"),
          { path: "me", element: <Navigate to="/me/profile" replace /> },
          { path: "admin", element: <Navigate to="/admin/health" replace /> },
          ...oldAddresses,
          page(() => import("@/pages/missing"), "*"),
        ],
      },
    ],
  },
]);
