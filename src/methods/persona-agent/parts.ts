/** Which parts of the method a variant has (METHODS 7.6). */
export interface Parts {
  /** The persona as system prompt; else the generic prompt of an agent. */
  readonly persona: boolean;
  /** Semantic memory: the user summary inside the persona. */
  readonly summary: boolean;
  /** Episodic memory: the `episodic_memory` tool. */
  readonly memory: boolean;
  /** Tools and the agent loop; else one call that reasons and answers. */
  readonly action: boolean;
  /** Test-time alignment of the persona. */
  readonly alignment: boolean;
}

export const WHOLE: Parts = { persona: true, summary: true, memory: true, action: true, alignment: true };

/** Whether the episodic memory can be used: its tool needs the agent loop. */
export const hasMemoryTool = (parts: Parts): boolean => parts.memory && parts.action;

/** Whether the agent may search it: its tool is among those that it is given. */
export const searchesMemory = (
  parts: Parts,
  { "persona-agent.tools": tools }: { readonly "persona-agent.tools": readonly string[] },
): boolean => hasMemoryTool(parts) && tools.includes("memory");

/** Whether the user summary is used: it is a part of the persona. */
export const hasSummary = (parts: Parts): boolean => parts.summary && parts.persona;

/** Whether alignment is used: it changes the persona. */
export const aligns = (parts: Parts): boolean => parts.alignment && parts.persona;

/** What must be there before the first call: variants without action run no agents. */
export const needsOf = (
  { action }: Parts,
  options: { readonly "persona-agent.tools": readonly string[] },
): { readonly tools: readonly string[]; readonly agent: boolean } => ({
  tools: action ? options["persona-agent.tools"].filter((name) => name === "wikipedia") : [],
  agent: action,
});
