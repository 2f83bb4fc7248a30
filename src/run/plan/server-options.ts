import { choice, decimal, text } from "../../registry/options.js";

/** Options of how servers and programs are asked. They change no answer and are in no plan. */
export const serverOptions = {
  "server.rpm": decimal({
    default: 0,
    min: 0,
    help: "requests a minute that the account allows; 0: from the server's headers",
  }),
  "server.itpm": decimal({ default: 0, min: 0, help: "input tokens a minute that the account allows; 0: not known" }),
  "server.otpm": decimal({ default: 0, min: 0, help: "output tokens a minute that the account allows; 0: not known" }),
  "server.deadlineSeconds": decimal({
    default: 0,
    min: 0,
    max: 86_400,
    help: "timeout of one try of a call; 0: 120, and 600 for a model that thinks",
  }),
  "server.drainSeconds": decimal({
    default: 30,
    min: 0,
    max: 86_400,
    help: "how long calls in flight may finish after Ctrl-C, SIGTERM or SIGHUP",
  }),
  "server.cache": choice({
    default: "auto",
    of: ["auto", "off"],
    help: "mark prompts for the provider's prompt cache where that saves money",
  }),
  "exec.env": text({
    default: "",
    help: "variables that exec: programs get although they may hold secrets, comma separated",
  }),
} as const;
