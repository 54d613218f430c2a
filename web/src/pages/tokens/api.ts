import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { keys, renew } from "@/api/queries";

export type Token = Schemas["Token"];
export const scopes = ["read", "write", "admin"] as const;
export type Scope = (typeof scopes)[number];

export const tokensQuery = queryOptions({
  queryKey: keys.tokens,
  queryFn: async () => (await api.GET("/api/v1/tokens")).data?.tokens ?? [],
});
const changed = () => renew(keys.tokens);

/** Makes a token; its text is in this answer and nowhere else. */
export const useCreateToken = () =>
  useMutation({
    mutationFn: async (body: { name: string; scopes: Scope[]; expires_in: string | null }) =>
      (await api.POST("/api/v1/tokens", { body })).data,
    onSuccess: changed,
  });

export const useRevoke = () =>
  useMutation({
    mutationFn: (token: Token) => api.DELETE("/api/v1/tokens/{token}", { params: { path: { token: token.id } } }),
    onSuccess: changed,
  });
