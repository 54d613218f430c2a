import { createRoot } from "react-dom/client";
import { markStyles } from "@/shared/nonce";
import { startLanguage } from "./i18n";
import { mendStyles } from "./late_styles";
import "@/shared/base.css";
import "./layout.css";
import "./controls.css";

markStyles();
mendStyles();
const [{ App }] = await Promise.all([import("./App"), startLanguage()]);
createRoot(document.getElementById("root") as HTMLElement).render(<App />);
