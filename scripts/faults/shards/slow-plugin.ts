/** The environment variable that says how long a call takes, in milliseconds; without it none waits. */
export const LATENCY = "SLOW_MS";

/** A plug-in file: the embedded model as one that takes its time and passes for a real one, so that tries are written down. */
export const slowPlugin = (library: string): string => `
import { setTimeout as delay } from "node:timers/promises";
import { builtIn } from ${JSON.stringify(library)};

const real = ({ simulated: _, ...reply }) => reply;
const latencyMs = Number(process.env.${LATENCY} ?? 0);

export default {
  name: "slow",
  providers: [
    {
      name: "slow",
      summary: "the embedded model, as slow as it is told to be",
      async open(id, settings) {
        const inner = await builtIn.providers.get("offline").open(id, settings);
        return {
          id: \`slow/\${id}\`,
          capabilities: inner.capabilities,
          simulated: false,
          async complete(request, signal) {
            if (latencyMs > 0) await delay(latencyMs, undefined, { signal });
            return real(await inner.complete(request, signal));
          },
        };
      },
    },
  ],
};
`;
