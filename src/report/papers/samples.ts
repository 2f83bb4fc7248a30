/** Questions behind the published numbers of PersonaAgent, by task; a task is absent where they cannot be derived. */
export const personaagentSamples = { lamp1: 123, lamp2m: 300, lamp3: 112 };
