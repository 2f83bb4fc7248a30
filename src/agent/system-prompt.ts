/** The system prompt of an agent that knows nothing of its user (METHODS 5.2): `react`, and `persona-agent` without a persona. */
export const AGENT_SYSTEM_PROMPT = [
  "You solve the task that the user gives you.",
  "You may use the tools you have, several times if needed; think step by step about what you still need to know.",
  "Your final answer must be the answer alone, in exactly the form the task asks for, without any explanation.",
].join("\n");
