import { collect } from "./collect";

export const words = collect(import.meta.glob("/src/**/locales/zh.json", { eager: true, import: "default" }));
