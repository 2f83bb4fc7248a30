import type { ModelReply, ModelRequest } from "../../types.js";

/** Where replies are kept between runs. */
export interface ResponseStore {
  get(key: string): Promise<ModelReply | undefined> | ModelReply | undefined;
  /** The reply counts as answered once this settles. */
  put(key: string, request: ModelRequest, reply: ModelReply): Promise<void> | void;
}
