import { createRoot } from "react-dom/client";
import "@/app/base.css";
import { SignIn } from "./SignIn";

createRoot(document.getElementById("root") as HTMLElement).render(<SignIn />);
