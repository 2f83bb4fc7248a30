/** A plug-in file: the embedded model as one that takes its time and passes for a real one, so that tries are written down. */
export const slowPlugin = (library: string, latencyMs: number): string => `
import { setTimeout as delay } from "node:timers/promises";
import { builtIn } from ${JSON.stringify(library)};

const real = ({ simulated: _, ...reply }) => reply;

export default {
  name: "slow",
  providers: [
    {
      name: "slow",
      summary: "the embedded model, ${latencyMs} ms a call",
      async open(id, settings) {
        const inner = await builtIn.providers.get("offline").open(id, settings);
        return {
          id: \`slow/\${id}\`,
          capabilities: inner.capabilities,
          simulated: false,
          async complete(request, signal) {
            await delay(${latencyMs}, undefined, { signal });
            return real(await inner.complete(request, signal));
          },
        };
      },
    },
  ],
};
`;
