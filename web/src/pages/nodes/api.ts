import { useMutation } from "@tanstack/react-query";
import { api } from "@/api/client";
import { keys, renew } from "@/api/queries";

/** Takes a machine out of service, or back into it. */
export const useDrain = (name: string) =>
  useMutation({
    mutationFn: (draining: boolean) =>
      api.PUT("/api/v1/nodes/{name}/draining", { params: { path: { name } }, body: { draining } }),
    onSettled: () => renew(keys.nodes),
  });
