import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { renew } from "@/api/queries";

export type Login = Schemas["RegistryLogin"];

export const registriesQuery = queryOptions({
  queryKey: ["registries"],
  queryFn: async () => (await api.GET("/api/v1/registries")).data?.registries ?? [],
});
const changed = () => renew(registriesQuery.queryKey);

export const useKeepLogin = () =>
  useMutation({
    mutationFn: ({ server, ...body }: { server: string; username: string; password: string }) =>
      api.PUT("/api/v1/registries/{server}", { params: { path: { server } }, body }),
    onSuccess: changed,
  });

export const useForgetLogin = () =>
  useMutation({
    mutationFn: ({ server = "", workspace }: Login) =>
      api.DELETE("/api/v1/registries/{server}", {
        params: { path: { server }, query: workspace ? { workspace } : {} },
      }),
    onSuccess: changed,
  });
