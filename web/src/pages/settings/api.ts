import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { keys, renew } from "@/api/queries";

export type User = Schemas["User"];

export const usersQuery = queryOptions({
  queryKey: keys.users,
  queryFn: async () => (await api.GET("/api/v1/users")).data?.users ?? [],
});
const changed = () => renew(keys.users);

/** Makes an account; the answer has the one-time link to it. */
export const useCreateUser = () =>
  useMutation({
    mutationFn: async (body: { name: string; display_name?: string; email?: string; administrator: boolean }) =>
      (await api.POST("/api/v1/users", { body })).data,
    onSuccess: changed,
  });

/** Lets somebody sign in no more, or again. */
export const useFreeze = () =>
  useMutation({
    mutationFn: ({ name, disabled }: { name: string; disabled: boolean }) =>
      api.PUT("/api/v1/users/{name}/disabled", { params: { path: { name } }, body: { disabled } }),
    onSuccess: changed,
  });

/** A new one-time link for somebody who forgot the password. */
export const useNewLink = () =>
  useMutation({
    mutationFn: async (name: string) =>
      (await api.POST("/api/v1/users/{name}/link", { params: { path: { name } } })).data?.link ?? "",
  });
