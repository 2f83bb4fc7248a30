import { setTimeout as delay } from "node:timers/promises";
import { directHosts, proxiesOf } from "../models/wire/http.js";
import type { Io } from "../run/io.js";
import type { Clock } from "../types/index.js";

/** The outside world of this process, for the command line and for programs that use the library. Tells nobody. */
export function processIo(): Io {
  return { env: process.env, clock: realClock, cwd: process.cwd(), node: process.version, tell: () => undefined };
}

/**
 * Lets Node's own fetch (embedders, Wikipedia, downloads) go through the proxy that the environment names; providers see to it
 * themselves. Throws UsageError where a variable holds no address.
 */
export async function fetchThroughProxy({ env }: Io): Promise<void> {
  const { http, https } = proxiesOf(env);
  if (http === undefined && https === undefined) return;
  const { EnvHttpProxyAgent, install, setGlobalDispatcher } = await import("undici");
  install(); // its own fetch: older ones of Node refuse a dispatcher that is newer
  const noProxy = directHosts(env).join(",");
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: http ?? "", httpsProxy: https ?? "", noProxy }));
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  async sleep(delayMs, signal) {
    await delay(delayMs, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  },
};
