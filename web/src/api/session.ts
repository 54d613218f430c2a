import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { api, sessionIsBack, type Me } from "./client";
import { retryEvents } from "./events";
import { keys, queries } from "./queries";

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async () => (await api.GET("/api/v1/users/me")).data as Me,
  staleTime: 300_000,
});

const nobody: Me = {
  name: "",
  display_name: "",
  email: "",
  administrator: false,
  has_password: true,
  scopes: [],
  workspaces: [],
};

/** Who is signed in; the layout waits for it, so that pages always know. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  return data ?? nobody;
}

/** Signs in again above a page whose session is over; what was held up goes on then. */
export function useSignInAgain(onDone: () => void) {
  return useMutation({
    mutationFn: (body: { user: string; password: string }) => api.POST("/api/v1/login", { body }),
    onSuccess: async () => {
      onDone();
      sessionIsBack();
      retryEvents();
      await queries.invalidateQueries();
    },
  });
}

export async function signOut(): Promise<void> {
  try {
    await api.POST("/api/v1/logout");
  } finally {
    location.assign("/signin");
  }
}

/** Sets the first password, or changes the one there is. */
export function useChangePassword(onDone: () => void) {
  return useMutation({
    mutationFn: async (body: { new_password: string; old_password?: string }) => {
      await api.POST("/api/v1/password", { body });
      await queries.invalidateQueries({ queryKey: keys.me });
    },
    onSuccess: onDone,
  });
}
